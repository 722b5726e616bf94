import type {
  ClientSecureChannelLayer,
  ClientSession,
  EndpointDescription,
  NodeId,
  OPCUAClient,
  UserIdentityInfo,
} from 'node-opcua-client';

import { createLibraryClient, LIBRARY_GRACE_MS } from './library-client.ts';
import type { LibraryClientOptions } from './library-client.ts';
import { OpcuaTransport } from './opcua-transport.ts';
import type {
  OnResponse,
  ServiceRequest,
  ServiceTransport,
  TransportEvents,
  TransportSession,
} from './service-transport.ts';

/** Has the library encode and protect what is sent over one TCP connection. */
export class LibraryTransport implements ServiceTransport {
  readonly #endpointUrl: string;
  readonly #client: OPCUAClient;
  readonly #connection: OpcuaTransport;
  #layer: ClientSecureChannelLayer | undefined;

  constructor(options: LibraryClientOptions) {
    this.#endpointUrl = options.endpointUrl;
    this.#connection = new OpcuaTransport(options.library);
    this.#client = createLibraryClient(options, this.#connection);
    this.#client.on('secure_channel_created', (layer) => {
      this.#layer = layer;
    });
  }

  async open({ onHeard, onClose }: TransportEvents): Promise<void> {
    this.#connection.on('chunk', onHeard);
    this.#connection.once('close', onClose);
    await this.#client.connect(this.#endpointUrl);
  }

  getEndpoints(): Promise<readonly EndpointDescription[]> {
    return this.#client.getEndpoints();
  }

  async createSession(identity: UserIdentityInfo): Promise<TransportSession> {
    return new LibrarySession(await this.#client.createSession(identity));
  }

  async activateSession(session: TransportSession): Promise<void> {
    if (!(session instanceof LibrarySession)) throw new TypeError('a session of another transport');
    await this.#client.reactivateSession(session.ofLibrary);
  }

  get isOpen(): boolean {
    return this.#layer !== undefined && this.#connection.isValid();
  }

  send(request: ServiceRequest, timeoutMs: number, onResponse: OnResponse): void {
    request.requestHeader.timeoutHint = timeoutMs + LIBRARY_GRACE_MS;
    this.#layer?.performMessageTransaction(request, onResponse);
  }

  close(reason: Error): void {
    this.#connection.close(reason);
  }

  get closeReason(): Error | undefined {
    return this.#connection.closeReason;
  }

  async dispose(): Promise<void> {
    await this.#client.disconnect().catch(() => undefined);
  }
}

/** A session as the library knows it: its tokens, and the nonce for the next signature. */
class LibrarySession implements TransportSession {
  readonly ofLibrary: ClientSession;
  readonly authenticationToken: NodeId;

  constructor(ofLibrary: ClientSession) {
    const { authenticationToken } = ofLibrary;
    if (authenticationToken === undefined) throw new TypeError('a session without token');
    this.ofLibrary = ofLibrary;
    this.authenticationToken = authenticationToken;
  }

  get timeout(): number {
    return this.ofLibrary.timeout;
  }
}
