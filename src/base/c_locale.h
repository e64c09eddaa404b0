/* Numbers are written and read with a point, whatever locale the host program has set. */
#ifndef BASE_C_LOCALE_H
#define BASE_C_LOCALE_H

/* strtod of the C locale. */
double c_strtod(const char *text, char **end);

/* A comma that printf wrote becomes a point. */
void c_point(char *number);

#endif
