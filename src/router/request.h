/* A routing request, checked before anything else is done with it. */
#ifndef SRC_ROUTER_REQUEST_H
#define SRC_ROUTER_REQUEST_H

#include <sandport/error.h>
#include <sandport/router_request.h>

/** @return SBX_INVALID_REQUEST with the member in err->detail, or SBX_ROUTING_NOT_APPLICABLE */
enum sbx_status sbx_request_verify(const struct sbx_route_request *req, struct sbx_error *err);

#endif
