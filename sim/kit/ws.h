/* A WebSocket over an exchange: the server's side, for clouds. wslay makes and reads the frames.
 *
 * Every byte goes out by sim_http_write(), so that a fault rule may cut or slow it anywhere. What a client sends beside
 * control frames is read and thrown away, never kept, whatever length it claims. */
#ifndef SIM_KIT_WS_H
#define SIM_KIT_WS_H

#include "sim/kit/http.h"

struct sim_ws;

/** Does the request ask for one? */
int sim_ws_asked(const struct sim_http *x);
/** Answers the request with 101, or with 400 when what it asks for is no WebSocket of version 13.
 *  @return NULL if it did not become one: the exchange has been dealt with */
struct sim_ws *sim_ws_accept(struct sim_http *x);
/** One binary message in a frame of its own. @return 0, or -1 when the client is gone or a fault cut it */
int sim_ws_send(struct sim_ws *ws, const void *data, size_t len);
/** Reads what has come and answers pings and closes. @return 0, or -1 once the conversation is over */
int sim_ws_heed(struct sim_ws *ws);
/** What is woken when there is something to heed. */
struct sim_waitq *sim_ws_input(struct sim_ws *ws);
/** Says goodbye, waits a while for the client's, and ends the exchange. */
void sim_ws_close(struct sim_ws *ws, uint16_t code, const char *reason);
void sim_ws_free(struct sim_ws *ws);

#endif
