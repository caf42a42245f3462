/* A "json unit": one print and one parse by cJSON of Daytona's sandbox object, which is much the same share of any
 * machine's speed as what is measured in it. */
#ifndef BENCH_JSON_UNIT_H
#define BENCH_JSON_UNIT_H

/** CPU time of one, measured now. */
double bench_json_unit_us(void);

#endif
