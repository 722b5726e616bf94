import type { RestValue } from '../world/truth.ts';

/** What a client sends. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface StreamEvents {
  readonly onEvent: (event: {
    readonly type: string;
    readonly id: string | undefined;
    readonly data: string;
  }) => void;
  /** The stream ended, or never began: then with the answer. */
  readonly onEnd: (answer: RestAnswer | undefined) => void;
}

/** A connection of a client. */
export interface ClientConnection {
  readonly isOpen: boolean;
  /** @throws when the connection ends before the answer is complete */
  request(request: RestRequest): Promise<RestAnswer>;
  openStream(request: RestRequest, events: StreamEvents): void;
  pauseReading(): void;
  resumeReading(): void;
  close(): void;
}

/** Opens a connection; undefined while the gateway does not listen. */
export type Connect = () => ClientConnection | undefined;

/** One record of a read or write, as the REST interface gives it. */
export interface RestRecord {
  readonly channelStatus: {
    readonly channelFlag: 'SUCCESS' | 'FAILURE';
    readonly exceptionMessage?: string;
  };
  readonly name: string;
  readonly valueType?: string;
  readonly value?: RestValue;
  readonly timestamp: number;
  readonly quality?: string;
  readonly statusCode?: string;
}

/** Speaks to the gateway over one connection that is opened again when it ended. */
export class AssetClient {
  readonly #connect: Connect;
  readonly #headers: Readonly<Record<string, string>>;
  #connection: ClientConnection | undefined;

  constructor(connect: Connect, headers: Readonly<Record<string, string>>) {
    this.#connect = connect;
    this.#headers = headers;
  }

  /** Asks; undefined when there is no gateway, or the connection ended before the answer. */
  async ask(request: RestRequest): Promise<RestAnswer | undefined> {
    const connection = this.open();
    if (connection === undefined) return undefined;
    try {
      return await connection.request({ ...request, headers: { ...this.#headers, ...request.headers } });
    } catch {
      connection.close();
      return undefined;
    }
  }

  /** Opens a stream of events on the connection; false when there is no gateway. */
  stream(request: RestRequest, events: StreamEvents): boolean {
    const connection = this.open();
    connection?.openStream({ ...request, headers: { ...this.#headers, ...request.headers } }, events);
    return connection !== undefined;
  }

  /** Returns the open connection, or opens one. */
  open(): ClientConnection | undefined {
    if (this.#connection?.isOpen !== true) this.#connection = this.#connect();
    return this.#connection;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Returns the records of an answer; undefined when it does not have the documented form. */
export function parseRecords(body: string): readonly RestRecord[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body, (_key, value: unknown, context?: { readonly source: string }) =>
      // A number keeps every digit, as clients need it for LONG.
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
        ? context?.source
        : value,
    );
  } catch {
    return undefined;
  }
  return Array.isArray(parsed) && parsed.every(isRecord) ? parsed : undefined;
}

function isRecord(item: unknown): item is RestRecord {
  if (typeof item !== 'object' || item === null) return false;
  const { channelStatus, name, value, timestamp } = item as Partial<RestRecord>;
  const flag = channelStatus?.channelFlag;
  if (typeof name !== 'string' || typeof timestamp !== 'number') return false;
  if (flag === 'FAILURE') return typeof channelStatus?.exceptionMessage === 'string';
  return flag === 'SUCCESS' && ['number', 'string', 'boolean'].includes(typeof value);
}
