# sandport_library(<part> SOURCES ... [LINK <sandport parts>] [PRIVATE_LINK <other libraries>] [REQUIRES <pkg-config names>]
#                   [LIBRARIES <names of those that have no .pc file>])
#
# Makes libsandport-<part>, shared and static, from one set of objects: hidden but for SBX_API, with a SONAME, an
# exported target sandport::<part> (shared) and sandport::<part>-static, and a .pc file.
# HEADERS is the list of public headers, relative to include/, that declare what the shared library exports.
include(CMakePackageConfigHelpers)

# Before 1.0 a minor release may break what a program was linked with, so each is a SONAME of its own.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(SANDPORT_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
    set(SANDPORT_SOVERSION ${PROJECT_VERSION_MAJOR})
endif()

function(sandport_library part)
    cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;PRIVATE_LINK;REQUIRES;LIBRARIES;INCLUDE" ${ARGN})
    set(objects sandport_${part}_objects)
    add_library(${objects} OBJECT ${ARG_SOURCES})
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR} ${ARG_INCLUDE})
    target_link_libraries(${objects} PRIVATE sandport_flags ${ARG_PRIVATE_LINK})
    set_target_properties(${objects} PROPERTIES C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${objects} PRIVATE SBX_BUILDING)

    foreach(kind SHARED STATIC)
        string(TOLOWER ${kind} suffix)
        set(target sandport_${part}_${suffix})
        add_library(${target} ${kind} $<TARGET_OBJECTS:${objects}>)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME sandport-${part} VERSION ${PROJECT_VERSION}
            SOVERSION ${SANDPORT_SOVERSION} LINKER_LANGUAGE C)
        target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        foreach(dependency ${ARG_LINK})
            target_link_libraries(${target} PUBLIC sandport_${dependency}_${suffix})
        endforeach()
        if(SANDPORT_SANITIZE_FLAGS)
            target_link_options(${target} PRIVATE ${SANDPORT_SANITIZE_FLAGS})
        endif()
    endforeach()
    target_link_libraries(sandport_${part}_shared PRIVATE ${ARG_PRIVATE_LINK})
    # A sanitizer's runtime is in the program, where Clang leaves it: only without one can nothing be undefined.
    if(NOT SANDPORT_SANITIZE_FLAGS)
        target_link_options(sandport_${part}_shared PRIVATE -Wl,--no-undefined)
    endif()
    target_link_options(sandport_${part}_shared PRIVATE -Wl,--as-needed)
    target_link_libraries(sandport_${part}_static PUBLIC ${ARG_PRIVATE_LINK})
    set_target_properties(sandport_${part}_shared PROPERTIES EXPORT_NAME ${part})
    set_target_properties(sandport_${part}_static PROPERTIES EXPORT_NAME ${part}-static)
    add_library(sandport::${part} ALIAS sandport_${part}_shared)
    add_library(sandport::${part}-static ALIAS sandport_${part}_static)

    install(TARGETS sandport_${part}_shared sandport_${part}_static EXPORT sandport-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_property(GLOBAL APPEND PROPERTY SANDPORT_PARTS ${part})
    set_property(GLOBAL PROPERTY SANDPORT_HEADERS_${part} ${ARG_HEADERS})

    set(PC_PART ${part})
    # By its own place, so that `cmake --install --prefix ELSEWHERE` and a moved tree stay right.
    file(RELATIVE_PATH PC_PREFIX_FROM_HERE /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    list(TRANSFORM ARG_LINK PREPEND "sandport-" OUTPUT_VARIABLE requires)
    list(JOIN requires ", " PC_REQUIRES)
    list(JOIN ARG_REQUIRES ", " PC_REQUIRES_PRIVATE)
    list(TRANSFORM ARG_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE libraries)
    list(JOIN libraries " " PC_LIBS_PRIVATE)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/sandport.pc.in ${PROJECT_BINARY_DIR}/sandport-${part}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/sandport-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

function(sandport_install_package)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sandport DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
    install(EXPORT sandport-targets NAMESPACE sandport:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sandport)
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sandport-config.cmake.in
        ${PROJECT_BINARY_DIR}/sandport-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sandport)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/sandport-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindWslay.cmake ${PROJECT_BINARY_DIR}/sandport-config.cmake ${PROJECT_BINARY_DIR}/sandport-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sandport)
endfunction()
