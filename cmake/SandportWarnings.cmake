# The warnings that every file of ours is built with, and the sanitizers of a preset. Errors only when sandport is the
# top project: a user's newer compiler must not stop their build.
add_library(sandport_flags INTERFACE)
target_compile_definitions(sandport_flags INTERFACE _GNU_SOURCE)
target_compile_options(sandport_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wformat=2 -Wvla -Wswitch-enum
    -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -fno-common)
if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(sandport_flags INTERFACE -Werror)
endif()
if(SANDPORT_SANITIZE STREQUAL "address")
    set(SANDPORT_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(SANDPORT_SANITIZE STREQUAL "thread")
    set(SANDPORT_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(SANDPORT_SANITIZE_FLAGS)
    target_compile_options(sandport_flags INTERFACE ${SANDPORT_SANITIZE_FLAGS})
    target_link_options(sandport_flags INTERFACE ${SANDPORT_SANITIZE_FLAGS})
endif()
