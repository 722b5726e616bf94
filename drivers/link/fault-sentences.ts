/** English sentences of errors in the settings of links, by their code. */
export const LINK_FAULTS = {
  FLOW_CONTROL_WITH_RS485:
    'rtsCts is not allowed with rs485, because RTS switches the direction in RS-485 mode',
} as const;
