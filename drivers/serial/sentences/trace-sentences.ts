/** English description of bytes on a serial line, by its code; printable characters stand for themselves. */
export const SERIAL_TRACE_SENTENCES = {
  TRACE_TEXT: '{quoted}',
  TRACE_TEXT_AND_MORE: '{quoted} and {more} bytes more',
} as const;
