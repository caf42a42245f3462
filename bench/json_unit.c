/* The unit of in-process measurements. */
#include "json_unit.h"
#include "rig.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#define UNITS 1500

static const char sandbox[] =
    "{\"id\":\"9fd8ebe1-6040-42a4-8e8c-014f5919e28e\",\"organizationId\":\"271df8d9-1193-443b-8050-333f8e296dfd\","
    "\"name\":\"718890eb-b88d-efda-bea3-0afe71b35ea6\",\"snapshot\":\"daytonaio/sandbox:0.5.0\",\"user\":\"daytona\","
    "\"env\":{},\"labels\":{\"code-toolbox-language\":\"python\"},\"public\":false,\"networkBlockAll\":false,"
    "\"networkAllowList\":null,\"domainAllowList\":null,\"target\":\"us\",\"cpu\":1,\"gpu\":0,\"memory\":1,\"disk\":3,"
    "\"state\":\"started\",\"desiredState\":\"started\",\"errorReason\":null,\"recoverable\":false,"
    "\"backupState\":\"None\",\"autoStopInterval\":15,\"autoArchiveInterval\":10080,\"autoDeleteInterval\":-1,"
    "\"volumes\":[],\"createdAt\":\"2026-06-01T10:00:00.000Z\",\"updatedAt\":\"2026-06-01T10:00:03.000Z\","
    "\"lastActivityAt\":\"2026-06-01T10:00:03.000Z\",\"sandboxClass\":\"container\",\"daemonVersion\":\"v0.190.0\","
    "\"runnerId\":\"084264be-07a5-435e-be5e-4b197e81e737\",\"toolboxProxyUrl\":\"http://daytona.sim/toolbox\"}";

double bench_json_unit_us(void) {
    double began = bench_cpu_us();
    for (int i = 0; i < UNITS; i++) {
        cJSON *json = cJSON_Parse(sandbox);
        char *text = cJSON_PrintUnformatted(json);
        BENCH_NEED(text != NULL);
        free(text);
        cJSON_Delete(json);
    }
    return (bench_cpu_us() - began) / UNITS;
}
