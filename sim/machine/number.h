/* Decimal numbers with a point, whatever the locale of the program that the simulator is part of. */
#ifndef SIM_MACHINE_NUMBER_H
#define SIM_MACHINE_NUMBER_H

/** As strtod in the C locale. @param end behind the number; `text` itself if it begins with none; may be NULL */
double sim_double(const char *text, char **end);

/** Makes a point of the locale's in what printf wrote of one double. @return `text` */
char *sim_double_point(char *text);

#endif
