/** English sentences of failures of instruments on serial lines, by their code. */
export const SERIAL_FAILURES = {
  INSTRUMENT_SILENT: 'the instrument at {device} did not respond within {timeoutMs} ms',
  INSTRUMENT_SENT_NOTHING: 'the instrument at {device} sent nothing within {timeoutMs} ms',
  INSTRUMENT_FRAME_UNEXPECTED: 'the instrument at {device} sent an unexpected frame: {fault}',
  INSTRUMENT_FRAME_DAMAGED: 'the instrument at {device} sent a damaged frame: {fault}',
  INSTRUMENT_REFUSED: 'the instrument at {device} refused: {answer}',
  INSTRUMENT_LINE_LOST: 'the serial line {device} was lost:',
  INSTRUMENT_NOT_CONNECTED: 'not connected to {device}',
  METER_NOT_IDENTIFIED:
    'the instrument at {device} did not identify itself at {baudRate} bit/s within {timeoutMs} ms',
  METER_AT_NOT_IDENTIFIED:
    'the instrument at {device} did not identify itself at {baudRate} bit/s (meter {meter}) within {timeoutMs} ms',
  METER_WITHOUT_READOUT:
    'the instrument at {device} identified itself as "{name}", but sent no complete readout at {baudRate} bit/s within {timeoutMs} ms',
  METER_AT_WITHOUT_READOUT:
    'the instrument at {device} identified itself as "{name}", but sent no complete readout at {baudRate} bit/s (meter {meter}) within {timeoutMs} ms',
} as const;
