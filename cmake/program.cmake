# The program puad, puad-mpi and the man pages; left out with PUAD_PROGRAM=OFF, as for the Python package.
file(GLOB PLOT_SOURCES CONFIGURE_DEPENDS plot/*.c)
add_library(puad_plot STATIC ${PLOT_SOURCES})
target_link_libraries(puad_plot PUBLIC puad_static PkgConfig::DRAWING)

# What puad and puad-lab share: commands, options, progress.
file(GLOB COMMON_SOURCES CONFIGURE_DEPENDS cli/common/*.c cli/program/*.c)
list(FILTER COMMON_SOURCES EXCLUDE REGEX "job_(local|mpi)\\.c$")
add_library(puad_common STATIC ${COMMON_SOURCES})
target_link_libraries(puad_common PUBLIC puad_plot)

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c cli/report/*.c cli/score/*.c cli/bench/*.c)
# Style and script of 'puad report', as texts of the program.
set(REPORT_TEXTS "#include \"cli/report/report_texts.h\"\n")
foreach(kind css js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/report/report.${kind})
  file(READ cli/report/report.${kind} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND REPORT_TEXTS "const char report_${kind}[] = {${bytes} 0};\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/report_texts.c CONTENT "${REPORT_TEXTS}" @ONLY)
list(APPEND CLI_SOURCES ${PROJECT_BINARY_DIR}/report_texts.c)
add_executable(puad ${CLI_SOURCES} cli/common/job_local.c)
target_link_libraries(puad PRIVATE puad_common)
target_link_options(puad PRIVATE -Wl,--as-needed)
install(TARGETS puad RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The same program for a fit on the ranks of an MPI job; puad starts it if a launcher has started several processes. The
# plain program never links MPI.
option(PUAD_MPI "build puad-mpi where MPI is installed" ON)
if(PUAD_MPI)
  find_package(MPI COMPONENTS C)
endif()
if(PUAD_MPI AND MPI_C_FOUND)
  add_executable(puad-mpi ${CLI_SOURCES} cli/common/job_mpi.c)
  target_link_libraries(puad-mpi PRIVATE puad_common MPI::MPI_C)
  target_link_options(puad-mpi PRIVATE -Wl,--as-needed)
  install(TARGETS puad-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/puad)
endif()

# Man pages come out of the programs, so they cannot differ from --help.
add_custom_command(TARGET puad POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_man $<TARGET_FILE:puad> ${PROJECT_BINARY_DIR}/man VERBATIM)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# So do the completions of the shells.
add_custom_command(TARGET puad POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_completions $<TARGET_FILE:puad> ${PROJECT_BINARY_DIR}/completions VERBATIM)
install(FILES ${PROJECT_BINARY_DIR}/completions/puad DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/completions/_puad DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/completions/puad.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
