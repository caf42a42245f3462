/* The description of the admin API, openapi.json, as text in the program. */
#ifndef SIM_SERVE_OPENAPI_H
#define SIM_SERVE_OPENAPI_H

extern const char serve_openapi[];

#endif
