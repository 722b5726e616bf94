import { createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { LINK_FAULTS } from './fault-sentences.ts';
import { z } from '../../daemon/base/schema.ts';
import { rs485Schema } from './rs485.ts';

/** Flow control: by the wires RTS and CTS, or by the characters XON and XOFF. */
export type FlowControl = 'none' | 'rtsCts' | 'xonXoff';

/** Settings of every serial line besides speed and character format. */
export const controlFields = {
  rs485: rs485Schema.optional().describe('RS-485 mode of the line, controlled by its kernel driver'),
};

/** Flow control for lines that transmit arbitrary bytes, including XON and XOFF. */
export const hardwareFlowControl = z
  .enum(['none', 'rtsCts'])
  .default('none')
  .describe('Flow control: none, or RTS and CTS');

/** Flow control for lines that transmit text, or no other bytes equal to XON or XOFF. */
export const flowControl = z
  .enum(['none', 'rtsCts', 'xonXoff'])
  .default('none')
  .describe('Flow control: none, RTS and CTS, or XON and XOFF');

interface LineControl {
  readonly flowControl: FlowControl;
  readonly rs485?: { readonly enabled: boolean } | undefined;
}

/** Returns the conflict between these settings; undefined if there is none. */
export function findControlConflict({ flowControl: control, rs485 }: LineControl): FaultReason | undefined {
  return control === 'rtsCts' && rs485?.enabled === true
    ? createReason(LINK_FAULTS, 'FLOW_CONTROL_WITH_RS485', {})
    : undefined;
}
