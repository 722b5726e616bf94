import { EventEmitter } from 'node:events';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { findRefusedHost, lookupDevice } from '../../../daemon/base/network/checked-lookup.ts';
import { ExplainedError } from '../../../daemon/base/fault-reason.ts';
import { explainConnectFailure } from '../../../daemon/base/network/connect-failure.ts';
import {
  ChunkFault,
  ChunkReader,
  decodeAcknowledge,
  decodeError,
  encodeHello,
} from './connection-protocol.ts';
import type { ConnectionLimits } from './connection-protocol.ts';
import { ClosedByServer } from '../opcua-errors.ts';
import type { OpcuaModule, TransportOf } from '../session/opcua-library.ts';
import { nameStatus } from '../value/status.ts';

type Callback = (error?: Error | null) => void;
type Parameters = NonNullable<TransportOf['parameters']>;

const DEFAULT_PORT = 4840;
/** Chunk size that both sides agree on; some servers send longer ones all the same. */
const CHUNK_BYTES = 65_536;
// Enough for a read of 1000 strings of 4000 characters; a device sends no more.
const MESSAGE_BYTES = 16 * 1024 * 1024;
const CHUNK_COUNT = MESSAGE_BYTES / 8192;

/**
 * One TCP connection to a server, with handshake and message chunks (OPC 10000-6, 7.1).
 *
 * Replaces the transport of the library, which accepts the receive limits of the server, uses its own timers and cannot
 * be closed at once. Errors in received bytes never leave this class as exceptions.
 */
export class OpcuaTransport extends EventEmitter implements TransportOf {
  readonly name = 'tcp';
  readonly #library: OpcuaModule;
  readonly #reader = new ChunkReader({
    maximumChunkBytes: MESSAGE_BYTES,
    maximumMessageBytes: MESSAGE_BYTES,
  });
  #socket: Socket | undefined;
  #handshake: Callback | undefined;
  #isClosed = false;
  #closeReason: Error | undefined;
  /** Fields that the library reads and sets; timeouts are handled elsewhere. */
  protocolVersion = 0;
  timeout = 0;
  numberOfRetry = 0;
  endpointUrl = '';
  serverUri = '';
  parameters?: Parameters;
  receiveBufferSize = 0;
  sendBufferSize = 0;
  maxChunkCount = 0;
  maxMessageSize = 0;
  bytesRead = 0;
  bytesWritten = 0;
  chunkReadCount = 0;
  chunkWrittenCount = 0;

  constructor(library: OpcuaModule) {
    super();
    this.#library = library;
  }

  connect(endpointUrl: string, callback: Callback): void {
    if (this.#isClosed) {
      queueMicrotask(() => callback(new Error('the connection was closed')));
      return;
    }
    const { hostname, port } = parseEndpointUrl(endpointUrl);
    this.endpointUrl = endpointUrl;
    this.#handshake = callback;
    const refusal = findRefusedHost(hostname);
    if (refusal !== undefined) {
      queueMicrotask(() =>
        this.close(new ExplainedError(explainConnectFailure(refusal, hostname), { cause: refusal })),
      );
      return;
    }
    const socket = createConnection({
      host: hostname,
      port,
      lookup: lookupDevice,
      noDelay: true,
      keepAlive: true,
    });
    this.#socket = socket;
    socket.on('connect', () => this.#write(encodeHello(ownLimits(this.protocolVersion), endpointUrl)));
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (cause) =>
      this.close(new ExplainedError(explainConnectFailure(cause, hostname), { cause })),
    );
    socket.on('close', () => this.close(new ClosedByServer()));
  }

  /** Error that closed the connection; undefined while open, and if the library released it. */
  get closeReason(): Error | undefined {
    return this.#closeReason;
  }

  /** Closes the connection at once; outstanding calls fail with the reason. */
  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#closeReason = reason;
    this.#end(reason);
  }

  disconnect(callback: Callback): void {
    this.dispose();
    callback();
  }

  // The library releases the connection for reasons that its own errors name.
  dispose(): void {
    this.#end(new Error('the connection was closed'));
  }

  prematureTerminate(error: Error): void {
    this.close(error);
  }

  forceConnectionBreak(): void {
    this.dispose();
  }

  write(chunk: Buffer, callback?: Callback): void {
    this.chunkWrittenCount += 1;
    this.#write(chunk);
    callback?.();
  }

  isValid(): boolean {
    return !this.#isClosed && this.#socket !== undefined;
  }

  isDisconnecting(): boolean {
    return this.#isClosed;
  }

  getTransportSettings(): { maxMessageSize: number } {
    return { maxMessageSize: MESSAGE_BYTES };
  }

  #end(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const handshake = this.#handshake;
    this.#handshake = undefined;
    this.#socket?.destroy();
    if (handshake === undefined) this.emit('close', reason);
    else handshake(reason);
  }

  #write(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.bytesWritten += bytes.length;
    this.#socket?.write(bytes);
  }

  #take(bytes: Buffer): void {
    try {
      for (const chunk of this.#reader.feed(bytes)) {
        if (this.#isClosed) return;
        this.#takeChunk(chunk);
      }
    } catch (error) {
      const reason = error instanceof ChunkFault ? error.message : 'it sent an unreadable message';
      this.close(new Error(reason, { cause: error }));
    }
  }

  #takeChunk(chunk: Buffer): void {
    this.chunkReadCount += 1;
    // By chunk: one piece of the stream may have several responses.
    this.bytesRead += chunk.length;
    const status = decodeError(chunk);
    if (status !== undefined) throw new ChunkFault(nameStatus(this.#library, status));
    if (this.#handshake === undefined) {
      // The library keeps the buffers that it receives while later bytes arrive.
      this.emit('chunk', Buffer.from(chunk));
      return;
    }
    const limits = decodeAcknowledge(chunk);
    if (limits === undefined) throw new ChunkFault('it did not acknowledge the connection');
    this.#agree(limits);
    const handshake = this.#handshake;
    this.#handshake = undefined;
    handshake();
  }

  #agree(limits: ConnectionLimits): void {
    const sendBufferSize = Math.min(limits.receiveBufferSize, CHUNK_BYTES);
    this.sendBufferSize = sendBufferSize;
    this.receiveBufferSize = MESSAGE_BYTES;
    this.maxMessageSize = MESSAGE_BYTES;
    this.maxChunkCount = CHUNK_COUNT;
    // The library only uses the size of sent chunks.
    this.parameters = { ...limits, sendBufferSize } as Parameters;
  }
}

/**
 * Returns host and port of an `opc.tcp` URL.
 *
 * @throws {TypeError} if it is not a URL
 */
export function parseEndpointUrl(endpointUrl: string): { readonly hostname: string; readonly port: number } {
  // The URL parser does not check host names of unknown schemes.
  const url = new URL(endpointUrl.replace(/^opc\.tcp:/i, 'http:'));
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // The parser drops port 80, the default of http.
  const port = /:80(?=[/?#]|$)/.test(endpointUrl) ? 80 : Number(url.port || DEFAULT_PORT);
  return { hostname, port };
}

function ownLimits(protocolVersion: number): ConnectionLimits {
  return {
    protocolVersion,
    receiveBufferSize: CHUNK_BYTES,
    sendBufferSize: CHUNK_BYTES,
    maxMessageSize: MESSAGE_BYTES,
    maxChunkCount: CHUNK_COUNT,
  };
}
