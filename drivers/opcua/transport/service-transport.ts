import type { X509Certificate } from 'node:crypto';

import type {
  ClientSecureChannelLayer,
  EndpointDescription,
  NodeId,
  UserIdentityInfo,
} from 'node-opcua-client';

import type { Clock } from '../../../daemon/base/clock.ts';

/** A request of the library, before it is sent. */
export type ServiceRequest = Parameters<ClientSecureChannelLayer['performMessageTransaction']>[0];
/** An answer of the library. */
export type ServiceResponse = Parameters<
  Parameters<ClientSecureChannelLayer['performMessageTransaction']>[1]
>[1] & {};

/** Called once with the answer to a request, or with why there is none; an error may hold the answer as `response`. */
export type OnResponse = (error: Error | null, response?: ServiceResponse) => void;

/** Settings of one transport. */
export interface TransportOptions {
  readonly endpointUrl: string;
  /** None, Sign or SignAndEncrypt. */
  readonly securityMode: string;
  readonly securityPolicyUri: string;
  /** Absent where nothing is protected. */
  readonly serverCertificate?: X509Certificate | undefined;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
}

/** What a server gave for a session. */
export interface TransportSession {
  readonly authenticationToken: NodeId;
  /** How long the server keeps it without messages, in milliseconds; NaN where the server gave no number. */
  readonly timeout: number;
}

/** Where a transport reports. */
export interface TransportEvents {
  /** Something came from the server, whatever it is. */
  readonly onHeard: () => void;
  /** The connection ended after it was open; called at most once. */
  readonly onClose: (reason: Error) => void;
}

/**
 * Carries requests and answers of services over one connection, as objects: the seam between what the gateway asks of a
 * server, and encoding, protection and network. It knows no time-outs; it is opened once, and a closed one stays closed.
 */
export interface ServiceTransport {
  /** Connects; `close` ends the attempt at once. */
  open(events: TransportEvents): Promise<void>;
  /** Asks how the server can be spoken to. */
  getEndpoints(): Promise<readonly EndpointDescription[]>;
  /** Creates a session and activates it. */
  createSession(identity: UserIdentityInfo): Promise<TransportSession>;
  /** Activates a session that was created by another transport of the same kind. */
  activateSession(session: TransportSession): Promise<void>;
  /** Whether requests can be sent. */
  readonly isOpen: boolean;
  /** Sends a request; `timeoutMs` is the longest time in which its answer is of use. */
  send(request: ServiceRequest, timeoutMs: number, onResponse: OnResponse): void;
  /** Ends the connection at once; all that wait for an answer fail. */
  close(reason: Error): void;
  /** Why the connection ended; undefined while it is open, and when it was released. */
  readonly closeReason: Error | undefined;
  /** Releases everything; never throws. */
  dispose(): Promise<void>;
}
