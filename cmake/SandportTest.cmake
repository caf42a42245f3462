# sandport_test(<name> SOURCES a.c ... [LINK libraries...] [LABELS ...] [ENVIRONMENT ...] [FIXTURE name] [SERIAL])
#
# FIXTURE: what must have been set up before; a case that finds it is not there ends with 77, which is "skipped".
# One cmocka program; each T_CASE(function) in its sources becomes a CTest of its own, <name>.<function>, so that a run
# names what failed. The program refuses a case name that it does not have.
# Links the static libraries, so a test may also look at what is hidden; INTERNAL adds the source root to the includes.
set(SANDPORT_TEST_TIMEOUT 60 CACHE STRING "Seconds after which one test case is killed")

function(sandport_test name)
    cmake_parse_arguments(ARG "SERIAL" "FIXTURE" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}
        ${PROJECT_SOURCE_DIR}/tests/support)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} sandport_test_support sandport_flags)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    set(seen "")
    foreach(source ${ARG_SOURCES})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
        file(STRINGS ${source} lines REGEX "T_CASE\\([a-zA-Z0-9_]+\\)")
        foreach(line ${lines})
            string(REGEX MATCHALL "T_CASE\\([a-zA-Z0-9_]+\\)" uses "${line}")
            foreach(use ${uses})
                string(REGEX REPLACE "T_CASE\\(([a-zA-Z0-9_]+)\\)" "\\1" case ${use})
                list(APPEND seen ${case})
            endforeach()
        endforeach()
    endforeach()
    if(NOT seen)
        message(FATAL_ERROR "${name}: no T_CASE in ${ARG_SOURCES}")
    endif()
    foreach(case ${seen})
        add_test(NAME ${name}.${case} COMMAND ${name} ${case} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${name}.${case} PROPERTIES TIMEOUT ${SANDPORT_TEST_TIMEOUT} LABELS "${ARG_LABELS}"
            ENVIRONMENT "SANDPORT_SOURCE_DIR=${PROJECT_SOURCE_DIR};SANDPORT_BINARY_DIR=${PROJECT_BINARY_DIR};${ARG_ENVIRONMENT}")
        if(ARG_FIXTURE)
            set_tests_properties(${name}.${case} PROPERTIES FIXTURES_REQUIRED ${ARG_FIXTURE} SKIP_RETURN_CODE 77)
        endif()
        if(ARG_SERIAL)
            set_tests_properties(${name}.${case} PROPERTIES RUN_SERIAL TRUE)
        endif()
    endforeach()
endfunction()
