# wslay, which has no .pc file: the target Wslay::wslay.
find_path(WSLAY_INCLUDE_DIR wslay/wslay.h)
find_library(WSLAY_LIBRARY wslay)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wslay REQUIRED_VARS WSLAY_LIBRARY WSLAY_INCLUDE_DIR)
mark_as_advanced(WSLAY_INCLUDE_DIR WSLAY_LIBRARY)
if(Wslay_FOUND AND NOT TARGET Wslay::wslay)
    add_library(Wslay::wslay UNKNOWN IMPORTED)
    set_target_properties(Wslay::wslay PROPERTIES IMPORTED_LOCATION ${WSLAY_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${WSLAY_INCLUDE_DIR})
endif()
