import type { DriverContext } from '../../daemon/channel/driver.ts';
import type { TransactOptions } from './modbus-client.ts';
import type { Transport } from './transport.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

export interface LineOptions {
  readonly transport: Transport;
  readonly settings: UnitSettingsTable;
  readonly context: DriverContext;
}

/** The answer of a unit. */
export interface Answer {
  /** The bytes of a read; nothing for a write. */
  readonly bytes: Buffer;
  /** Milliseconds since the epoch at which the answer arrived. */
  readonly timestampMs: number;
  /** Nobody answers a broadcast: it was sent, and that is all that is known. */
  readonly isUnconfirmed: boolean;
  /** Milliseconds from request to answer, without the wait for a turn. */
  readonly durationMs: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Called when the request may go out at once; what it throws ends the exchange, and nothing was sent. */
  readonly checkTurn?: (() => void) | undefined;
  /** Called right before the request goes out; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

/** How a request goes out once its turn has come. */
export type SendOptions = TransactOptions & Pick<ExchangeOptions, 'signal' | 'checkTurn'>;
