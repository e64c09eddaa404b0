# The program puad, puad-mpi and the man pages; left out with PUAD_PROGRAM=OFF.

# Appends to the variable CODE a C text NAME with the contents of the files, in order.
function(embed_text code name)
  set(all "")
  foreach(path ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path})
    file(READ ${PROJECT_SOURCE_DIR}/${path} bytes HEX)
    string(APPEND all "${bytes}")
  endforeach()
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," all "${all}")
  set(${code} "${${code}}const char ${name}[] = {${all} 0};\n" PARENT_SCOPE)
endfunction()

# Style and script of the pages.
set(TEXTS "#include \"plot/plot_texts.h\"\n")
embed_text(TEXTS page_css plot/page.css)
embed_text(TEXTS page_js plot/page.js)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/plot_texts.c CONTENT "${TEXTS}" @ONLY)

file(GLOB PLOT_SOURCES CONFIGURE_DEPENDS plot/*.c)
add_library(puad_plot STATIC ${PLOT_SOURCES} ${PROJECT_BINARY_DIR}/plot_texts.c)
target_link_libraries(puad_plot PUBLIC puad_static PkgConfig::DRAWING)

# What puad and puad-lab share: commands, options, progress.
file(GLOB COMMON_SOURCES CONFIGURE_DEPENDS cli/common/*.c cli/program/*.c)
list(FILTER COMMON_SOURCES EXCLUDE REGEX "job_(local|mpi)\\.c$")
add_library(puad_common STATIC ${COMMON_SOURCES})
target_link_libraries(puad_common PUBLIC puad_plot)

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c cli/report/*.c cli/score/*.c cli/audit/*.c cli/eval/*.c cli/bench/*.c)
# The page of 'puad report'. main.js comes last: it runs what the others define.
set(REPORT_SCRIPTS tools charts verdict thresholds rows row answers audit evidence compare data main)
list(TRANSFORM REPORT_SCRIPTS PREPEND cli/report/page/)
list(TRANSFORM REPORT_SCRIPTS APPEND .js)
set(TEXTS "#include \"cli/report/page_texts.h\"\n")
embed_text(TEXTS report_html cli/report/page/report.html)
embed_text(TEXTS report_css cli/report/page/report.css)
embed_text(TEXTS report_js ${REPORT_SCRIPTS})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/page_texts.c CONTENT "${TEXTS}" @ONLY)
list(APPEND CLI_SOURCES ${PROJECT_BINARY_DIR}/page_texts.c)
add_library(puad_commands OBJECT ${CLI_SOURCES})
target_link_libraries(puad_commands PUBLIC puad_common)
add_executable(puad $<TARGET_OBJECTS:puad_commands> cli/common/job_local.c)
target_link_libraries(puad PRIVATE puad_common)
target_link_options(puad PRIVATE -Wl,--as-needed)
install(TARGETS puad RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# The same program for a fit on the ranks of an MPI job; puad starts it if a launcher has started several processes. The
# plain program never links MPI.
option(PUAD_MPI "build puad-mpi where MPI is installed" ON)
if(PUAD_MPI)
  find_package(MPI COMPONENTS C)
endif()
if(PUAD_MPI AND MPI_C_FOUND)
  add_executable(puad-mpi $<TARGET_OBJECTS:puad_commands> cli/common/job_mpi.c)
  target_link_libraries(puad-mpi PRIVATE puad_common MPI::MPI_C)
  target_link_options(puad-mpi PRIVATE -Wl,--as-needed)
  install(TARGETS puad-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/puad COMPONENT laboratory)
endif()

# Man pages come out of the programs, so they cannot differ from --help.
add_custom_command(TARGET puad POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_man $<TARGET_FILE:puad> ${PROJECT_BINARY_DIR}/man VERBATIM)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)

# So do the completions of the shells.
add_custom_command(TARGET puad POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_completions $<TARGET_FILE:puad> ${PROJECT_BINARY_DIR}/completions VERBATIM)
install(FILES ${PROJECT_BINARY_DIR}/completions/puad DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/completions/_puad DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/completions/puad.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
