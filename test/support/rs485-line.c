// Stands in for a line with RS-485 mode: loaded before the C library, it answers TIOCSRS485 as a driver of the kernel does, and
// writes what it was asked for, as the kernel's own header reads it, to the file RS485_LOG.
// RS485_FLAGS are the flags that the line can do, RS485_DELAY its longest delay, RS485_ERROR the number it refuses with.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

static unsigned limit(unsigned value, const char *name) {
  const char *given = getenv(name);
  unsigned most = given == NULL ? value : (unsigned)atoi(given);
  return value < most ? value : most;
}

static int set(struct serial_rs485 *asked) {
  const char *error = getenv("RS485_ERROR"), *flags = getenv("RS485_FLAGS");
  FILE *log = fopen(getenv("RS485_LOG"), "w");
  fprintf(log, "%s%s%s%s%s%s delays %u %u, %zu bytes",
          asked->flags & SER_RS485_ENABLED ? " ENABLED" : "",
          asked->flags & SER_RS485_RTS_ON_SEND ? " RTS_ON_SEND" : "",
          asked->flags & SER_RS485_RTS_AFTER_SEND ? " RTS_AFTER_SEND" : "",
          asked->flags & SER_RS485_RX_DURING_TX ? " RX_DURING_TX" : "",
          asked->flags & SER_RS485_TERMINATE_BUS ? " TERMINATE_BUS" : "",
          asked->flags & ~0x37u ? " OTHERS" : "",
          asked->delay_rts_before_send, asked->delay_rts_after_send, sizeof *asked);
  fclose(log);
  if (error != NULL) return errno = atoi(error), -1;
  if (flags != NULL) asked->flags &= (unsigned)atoi(flags);
  asked->delay_rts_before_send = limit(asked->delay_rts_before_send, "RS485_DELAY");
  asked->delay_rts_after_send = limit(asked->delay_rts_after_send, "RS485_DELAY");
  return 0;
}

int ioctl(int line, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (request == TIOCSRS485) return set(argument);
  int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return real(line, request, argument);
}
