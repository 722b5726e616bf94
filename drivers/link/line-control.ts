import { z } from '../../daemon/base/schema.ts';
import { rs485Schema } from './rs485.ts';

/** Who may pause the far end, and how: by the wires RTS and CTS, or by the characters XON and XOFF. */
export type FlowControl = 'none' | 'rtsCts' | 'xonXoff';

/** Settings of every serial line beside speed and form of its characters. */
export const controlFields = {
  rs485: rs485Schema.optional().describe('RS-485 mode of the line, controlled by its kernel driver'),
};

/** Flow control of lines that carry bytes of any value, XON and XOFF among them. */
export const hardwareFlowControl = z
  .enum(['none', 'rtsCts'])
  .default('none')
  .describe('Flow control: none, or RTS and CTS');

/** Flow control of lines that carry text, or whose user knows that no other character is XON or XOFF. */
export const flowControl = z
  .enum(['none', 'rtsCts', 'xonXoff'])
  .default('none')
  .describe('Flow control: none, RTS and CTS, or XON and XOFF');

interface LineControl {
  readonly flowControl: FlowControl;
  readonly rs485?: { readonly enabled: boolean } | undefined;
}

/** Returns why these settings do not go together; undefined when they do. */
export function findControlConflict({ flowControl: control, rs485 }: LineControl): string | undefined {
  return control === 'rtsCts' && rs485?.enabled === true
    ? 'rtsCts is not allowed with rs485, because RTS switches the direction in RS-485 mode'
    : undefined;
}
