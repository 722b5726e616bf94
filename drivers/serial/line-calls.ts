import type { DriverContext } from '../../daemon/channel/driver.ts';
import type { ByteLink } from '../link/byte-link.ts';
import type { Frame, WaitOptions } from './frame-waits.ts';
import type { SerialConfig } from './serial-config.ts';

export interface LineOptions {
  /** Creates a link that was never opened. */
  readonly createLink: () => ByteLink;
  readonly config: Pick<
    SerialConfig,
    | 'device'
    | 'framing'
    | 'maximumFrameBytes'
    | 'responseTimeoutMs'
    | 'delayBetweenRequestsMs'
    | 'baudRate'
    | 'checksum'
    | 'dataBits'
  >;
  readonly context: Pick<DriverContext, 'clock'>;
  /** Receives each frame, besides the calls that wait for it. */
  readonly onFrame?: ((frame: Buffer) => void) | undefined;
}

export interface SendOptions {
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
  /** Called when the bytes may be sent at once. If it throws, the call ends and nothing is sent. */
  readonly throwIfCancelled?: () => void;
  /** Called right before the bytes are sent; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

export type ResponseOptions = Omit<WaitOptions, 'isResponse'>;
export type ExchangeOptions = SendOptions & ResponseOptions;

/** Messages to and from one device while it has the line. */
export interface Conversation {
  /** Sends once the line is silent, and waits for the response. */
  ask(options: ExchangeOptions): Promise<Frame>;
  /** Sends once the line is silent, without a response. */
  send(options: SendOptions): Promise<void>;
  /** Sends at once. */
  reply(bytes: Buffer): void;
  /** Waits for the next message. */
  await(options: ResponseOptions): Promise<Frame>;
  /** Changes the speed of the line after what was sent. */
  changeSpeed(baudRate: number): Promise<void>;
}
