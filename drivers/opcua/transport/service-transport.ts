import type { X509Certificate } from 'node:crypto';

import type {
  ClientSecureChannelLayer,
  EndpointDescription,
  NodeId,
  UserIdentityInfo,
} from 'node-opcua-client';

import type { Clock } from '../../../daemon/base/clock.ts';

/** A request of the library before encoding. */
export type ServiceRequest = Parameters<ClientSecureChannelLayer['performMessageTransaction']>[0];
/** A response of the library. */
export type ServiceResponse = Parameters<
  Parameters<ClientSecureChannelLayer['performMessageTransaction']>[1]
>[1] & {};

/** Called once with the response or the error; an error may contain the response as `response`. */
export type OnResponse = (error: Error | null, response?: ServiceResponse) => void;

/** Settings of one transport. */
export interface TransportOptions {
  readonly endpointUrl: string;
  /** None, Sign or SignAndEncrypt. */
  readonly securityMode: string;
  readonly securityPolicyUri: string;
  /** Absent without message security. */
  readonly serverCertificate?: X509Certificate | undefined;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
}

/** Session as created by a server. */
export interface TransportSession {
  readonly authenticationToken: NodeId;
  /** Time for which the server keeps an inactive session, in milliseconds; NaN if the server returned no number. */
  readonly timeout: number;
}

/** Callbacks of a transport. */
export interface TransportEvents {
  /** Bytes were received from the server. */
  readonly onHeard: () => void;
  /** The open connection was closed; called at most once. */
  readonly onClose: (reason: Error) => void;
}

/**
 * Transports service requests and responses as objects over one connection. It separates the services from encoding,
 * security and network. It has no timeouts; it is opened once, and a closed one stays closed.
 */
export interface ServiceTransport {
  /** Connects; `close` aborts the attempt. */
  open(events: TransportEvents): Promise<void>;
  /** Requests the endpoints of the server. */
  getEndpoints(): Promise<readonly EndpointDescription[]>;
  /** Creates a session and activates it. */
  createSession(identity: UserIdentityInfo): Promise<TransportSession>;
  /** Activates a session that was created by another transport of the same class. */
  activateSession(session: TransportSession): Promise<void>;
  /** True if requests can be sent. */
  readonly isOpen: boolean;
  /** Sends a request; `timeoutMs` limits how long its response is useful. */
  send(request: ServiceRequest, timeoutMs: number, onResponse: OnResponse): void;
  /** Closes the connection at once; outstanding requests fail. */
  close(reason: Error): void;
  /** Reason of the closed connection; undefined while open, and if it was released. */
  readonly closeReason: Error | undefined;
  /** Bytes on the wire since it was opened; absent: not counted. */
  readonly bytes?: { readonly sent: number; readonly received: number } | undefined;
  /** Releases everything; never throws. */
  dispose(): Promise<void>;
}
