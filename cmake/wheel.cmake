# The library as the Python package holds it: the same objects, linked to look for what it needs beside itself. DT_RPATH, not
# DT_RUNPATH, because it holds for the needs of those libraries too (libpng needs zlib).
add_library(puad_bundled SHARED $<TARGET_OBJECTS:puad_objects>)
target_link_libraries(puad_bundled PRIVATE puad_flags PkgConfig::LIGHT Threads::Threads m)
target_link_options(puad_bundled PRIVATE -Wl,--as-needed -Wl,--no-undefined -Wl,--disable-new-dtags
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/tools/puad.map)
set_target_properties(puad_bundled PROPERTIES OUTPUT_NAME puad LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bundled
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${PROJECT_SOURCE_DIR}/tools/puad.map)
if(NOT PUAD_TESTS)
  set_target_properties(puad_bundled PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
