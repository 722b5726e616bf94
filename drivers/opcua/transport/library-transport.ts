import type {
  ClientSecureChannelLayer,
  ClientSession,
  EndpointDescription,
  NodeId,
  OPCUAClient,
  UserIdentityInfo,
} from 'node-opcua-client';
import { OpcuaTransport } from './opcua-transport.ts';
import type {
  OnResponse,
  ServiceRequest,
  ServiceTransport,
  TransportEvents,
  TransportSession,
  TransportOptions,
} from './service-transport.ts';
import { TIMEOUT_LIMIT_MS } from '../opcua-config.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import type { OwnCertificate } from '../trust/own-certificate.ts';

/** Settings of a client of the library. */
interface LibraryClientOptions extends TransportOptions {
  readonly library: OpcuaModule;
  readonly own: OwnCertificate;
}

const SECURITY_TOKEN_LIFETIME_MS = 600_000;

/** Extra time of the library timers: by then a call has long ended. */
const LIBRARY_GRACE_MS = 30_000;

/** Encodes and protects messages with the library over one TCP connection. */
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

  get bytes(): { readonly sent: number; readonly received: number } {
    return { sent: this.#connection.bytesWritten, received: this.#connection.bytesRead };
  }

  async dispose(): Promise<void> {
    await this.#client.disconnect().catch(() => undefined);
  }
}

/** A session of the library: its tokens and the nonce of the next signature. */
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

/** Creates a library client for one channel; it is passive and never reconnects. */
function createLibraryClient(options: LibraryClientOptions, transport: OpcuaTransport): OPCUAClient {
  const { library, own, securityMode, securityPolicyUri, serverCertificate, sessionTimeoutMs } = options;
  const certificate = own.certificate.raw;
  return library.OPCUAClient.create({
    applicationName: 'Penstock',
    clientName: 'Penstock',
    // Reconnects of the library would send requests twice.
    connectionStrategy: { maxRetry: 0, initialDelay: 1000, maxDelay: 1000, randomisationFactor: 0 },
    keepPendingSessionsOnDisconnect: true,
    keepSessionAlive: false,
    endpointMustExist: false,
    securityMode,
    securityPolicy: securityPolicyUri,
    ...(serverCertificate === undefined ? {} : { serverCertificate: serverCertificate.raw }),
    requestedSessionTimeout: sessionTimeoutMs,
    defaultSecureTokenLifetime: SECURITY_TOKEN_LIFETIME_MS,
    // Its default of 15 seconds would abort longer connection steps.
    defaultTransactionTimeout: TIMEOUT_LIMIT_MS + LIBRARY_GRACE_MS,
    certificateKeyPairProvider: {
      getCertificate: () => certificate,
      getCertificateChain: () => [certificate],
      getPrivateKey: () => ({ hidden: own.privateKey }),
    },
    transportFactory: { create: () => transport },
  });
}
