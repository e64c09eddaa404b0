# What the Python wheel holds: the library and the program of the same objects, linked to look for what they need beside themselves.
# DT_RPATH, not DT_RUNPATH, because it holds for the needs of those libraries too (libpng needs zlib).
set(BUNDLED_OPTIONS -Wl,--as-needed -Wl,--no-undefined -Wl,--disable-new-dtags)
find_library(OLD_THREADS NAMES libpthread.so.0) # where older versions of glibc have threads and dlopen
find_library(OLD_LOADER NAMES libdl.so.2)
set(OLD_LIBRARIES "")
if(OLD_THREADS AND OLD_LOADER)
  set(OLD_LIBRARIES -Wl,--push-state,--no-as-needed ${OLD_THREADS} ${OLD_LOADER} -Wl,--pop-state)
endif()

add_library(puad_bundled SHARED $<TARGET_OBJECTS:puad_objects> cmake/wheel_glibc.c)
target_link_libraries(puad_bundled PRIVATE puad_flags PkgConfig::LIGHT Threads::Threads m ${OLD_LIBRARIES})
target_link_options(puad_bundled PRIVATE ${BUNDLED_OPTIONS} -Wl,--version-script=${PROJECT_SOURCE_DIR}/tools/puad.map)
set_target_properties(puad_bundled PROPERTIES OUTPUT_NAME puad LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bundled
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${PROJECT_SOURCE_DIR}/tools/puad.map)
add_custom_target(puad_wheel DEPENDS puad_bundled)
if(PUAD_PROGRAM)
  add_executable(puad_bundled_program $<TARGET_OBJECTS:puad_commands> cli/common/job_local.c cmake/wheel_cairo.c cmake/wheel_glibc.c)
  target_link_libraries(puad_bundled_program PRIVATE puad_common Threads::Threads ${OLD_LIBRARIES})
  target_link_options(puad_bundled_program PRIVATE ${BUNDLED_OPTIONS})
  set_target_properties(puad_bundled_program PROPERTIES OUTPUT_NAME puad RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bundled
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  # A function of Cairo that wheel_cairo.c lacks would make the program need libcairo.
  add_custom_command(TARGET puad_bundled_program POST_BUILD VERBATIM
    COMMAND sh -c "! ${CMAKE_OBJDUMP} -p \"$1\" | grep 'NEEDED.*cairo'" sh $<TARGET_FILE:puad_bundled_program>)
  add_dependencies(puad_wheel puad_bundled_program)
endif()
if(NOT PUAD_TESTS)
  set_target_properties(puad_bundled PROPERTIES EXCLUDE_FROM_ALL ON)
  if(PUAD_PROGRAM)
    set_target_properties(puad_bundled_program PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
