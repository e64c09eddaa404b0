# puad-serve: a model behind HTTP. It alone needs libmicrohttpd.
file(GLOB SERVE_SOURCES CONFIGURE_DEPENDS serve/*.c)
list(FILTER SERVE_SOURCES EXCLUDE REGEX "/serve_main\\.c$")
add_library(puad_serve STATIC ${SERVE_SOURCES})
target_link_libraries(puad_serve PUBLIC puad_static PkgConfig::SERVICE)
target_compile_options(puad_serve PRIVATE -fstack-protector-strong)
add_executable(puad-serve serve/serve_main.c cli/common/job_local.c)
target_link_libraries(puad-serve PRIVATE puad_serve puad_common)
target_link_options(puad-serve PRIVATE -Wl,--as-needed)
install(TARGETS puad-serve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT service)
add_custom_command(TARGET puad-serve POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_man $<TARGET_FILE:puad-serve> ${PROJECT_BINARY_DIR}/man VERBATIM)
