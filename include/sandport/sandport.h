/* All that callers use. */
#ifndef SANDPORT_H
#define SANDPORT_H

#include <sandport/api.h>
#include <sandport/call.h>
#include <sandport/capability.h>
#include <sandport/capacity.h>
#include <sandport/error.h>
#include <sandport/exec.h>
#include <sandport/files.h>
#include <sandport/info.h>
#include <sandport/run.h>
#include <sandport/runtime.h>
#include <sandport/sandbox.h>
#include <sandport/session.h>
#include <sandport/status.h>
#include <sandport/transfer.h>

#endif
