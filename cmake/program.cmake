# The program puad, puad-mpi and the man pages; left out with PUAD_PROGRAM=OFF, as for the Python package.
# What only the program has: pictures, the paper's data sets and the laboratory.
file(GLOB PROGRAM_SOURCES CONFIGURE_DEPENDS src/plot/*.c src/sets/*.c src/lab/*.c)
list(FILTER PROGRAM_SOURCES EXCLUDE REGEX "_mpi\\.c$")
if(PROGRAM_SOURCES)
  add_library(puad_lab STATIC ${PROGRAM_SOURCES})
  target_link_libraries(puad_lab PUBLIC puad_static PkgConfig::HEAVY)
else()
  add_library(puad_lab INTERFACE)
  target_link_libraries(puad_lab INTERFACE puad_static)
endif()

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS src/cli/*.c src/bench/*.c)
# Style and script of 'puad report', as texts of the program.
set(REPORT_TEXTS "#include \"cli/report/report_texts.h\"\n")
foreach(kind css js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/report.${kind})
  file(READ src/cli/report.${kind} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND REPORT_TEXTS "const char report_${kind}[] = {${bytes} 0};\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/report_texts.c CONTENT "${REPORT_TEXTS}" @ONLY)
list(APPEND CLI_SOURCES ${PROJECT_BINARY_DIR}/report_texts.c)
add_executable(puad ${CLI_SOURCES})
target_link_libraries(puad PRIVATE puad_lab puad_static)
target_link_options(puad PRIVATE -Wl,--as-needed)

# The same program with a fit, or the cells of the laboratory, spread over the ranks of an MPI job; puad hands over to it when it is started as one of
# several. The plain program never links MPI.
option(PUAD_MPI "build puad-mpi where MPI is installed" ON)
if(PUAD_MPI)
  find_package(MPI COMPONENTS C)
endif()
if(PUAD_MPI AND MPI_C_FOUND)
  add_executable(puad-mpi ${CLI_SOURCES} lab/run/schedule_mpi.c lab/run/ranks_mpi.c)
  target_link_libraries(puad-mpi PRIVATE puad_lab puad_static MPI::MPI_C)
  target_link_options(puad-mpi PRIVATE -Wl,--as-needed)
  install(TARGETS puad-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/puad)
endif()

install(TARGETS puad RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Man pages come out of the program, so they cannot differ from --help.
add_custom_command(TARGET puad POST_BUILD COMMAND ${PROJECT_SOURCE_DIR}/tools/make_man $<TARGET_FILE:puad> ${PROJECT_BINARY_DIR}/man
  VERBATIM)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
