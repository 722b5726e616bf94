import type { Period } from './identity-model.ts';

/** An event that the audit has to show, because an answer promised what it is about. */
export interface ExpectedEvent extends Period {
  readonly requestId: string;
  /** Undefined: the client does not know what the gateway sees. */
  readonly address: string | undefined;
  readonly status: number;
  /** One of these. */
  readonly events: readonly string[];
  readonly outcome: 'SUCCESS' | 'FAILURE';
  /** Who did it; undefined: the answer does not tell. */
  readonly identity: string | undefined;
}

/** A request of which the audit has to show what its answer says. */
export interface AuditedRequest {
  readonly requestId: string;
  readonly status: number;
  readonly askedMs: number;
}

/** What the audit has to show; whoever checks it takes it. */
export class AuditModel {
  #expected: ExpectedEvent[] = [];

  expect(event: ExpectedEvent): void {
    this.#expected.push(event);
  }

  /** Returns what was answered until then, and forgets it. */
  takeUntil(answeredMs: number): readonly ExpectedEvent[] {
    const taken = this.#expected.filter((event) => event.answeredMs <= answeredMs);
    this.#expected = this.#expected.filter((event) => event.answeredMs > answeredMs);
    return taken;
  }
}

/** Which events a request has to have in the audit, docs/reference/audit.md. */
interface AuditedAs {
  readonly events: readonly string[];
  readonly outcome: 'SUCCESS' | 'FAILURE';
}

const OWN_EVENTS: Readonly<Record<string, readonly string[]>> = {
  'POST /services/session/v1/login/password': ['LOGIN'],
  'POST /services/session/v1/login/certificate': ['LOGIN'],
  'POST /services/session/v1/logout': ['LOGOUT'],
  'POST /services/session/v1/changePassword': ['PASSWORD_CHANGE'],
  'POST /services/session/v1/secondFactor/begin': ['SECOND_FACTOR_CHANGE'],
  'POST /services/session/v1/secondFactor/confirm': ['SECOND_FACTOR_CHANGE'],
  'POST /services/session/v1/secondFactor/renewRecoveryCodes': ['SECOND_FACTOR_CHANGE'],
  'POST /services/session/v1/secondFactor/remove': ['SECOND_FACTOR_CHANGE'],
  'POST /services/identity/v1/identities': ['IDENTITY_CREATED'],
  'PUT /services/identity/v1/identities': ['IDENTITY_CHANGED', 'PERMISSIONS_CHANGED'],
  'DELETE /services/identity/v1/identities': ['IDENTITY_REMOVED'],
  'DELETE /services/identity/v1/identities/byName': ['IDENTITY_REMOVED'],
  'POST /services/inventory/v1/bundles/_start': ['BUNDLE_RESTARTED'],
  'POST /services/inventory/v1/bundles/_stop': ['BUNDLE_RESTARTED'],
  'POST /services/keystores/v1/entries/csr': ['CERTIFICATE_REQUESTED'],
  'POST /services/keystores/v2/entries/csr': ['CERTIFICATE_REQUESTED'],
  'POST /services/identity/v2/identities': ['IDENTITY_CREATED'],
  'PUT /services/identity/v2/identities': ['IDENTITY_CHANGED', 'PERMISSIONS_CHANGED'],
  'DELETE /services/identity/v2/identities': ['IDENTITY_REMOVED'],
  'POST /services/identity/v2/permissions': ['PERMISSIONS_CHANGED'],
  'DELETE /services/identity/v2/permissions': ['PERMISSIONS_CHANGED'],
  'DELETE /services/session/v1/sessions': ['SESSION_ENDED'],
  'DELETE /services/session/v1/sessions/': ['SESSION_ENDED'],
  'POST /services/token/jwt/v1/_revoke': ['TOKENS_REVOKED'],
  'POST /services/token/jwt/v1/_rotateKey': ['SIGNING_KEY_ROTATED'],
  'POST /services/token/jwt/v1/issue': ['TOKEN_ISSUED'],
  'POST /services/token/jwt/v1/refresh': ['TOKEN_REFRESHED', 'TOKEN_REPLAYED'],
};

// What names one session.
const SESSION_ID = /(?<=\/session\/v1\/sessions)\/[^/]+$/;
// A client that proves nothing asks whether it is signed in: that it is not is no refusal.
const SESSION_QUERY = /\/session\/v1\/(?:xsrfToken|currentIdentity|_own)$/;
const REFUSALS = new Set([401, 403, 429]);

/** Returns what the audit has to say of a request with this answer; undefined: nothing. */
export function auditOf(method: string, path: string, status: number): AuditedAs | undefined {
  const own = OWN_EVENTS[`${method} ${path.replace(SESSION_ID, '/')}`];
  if (own !== undefined && status < 400) return { events: own, outcome: 'SUCCESS' };
  if (status === 401 && SESSION_QUERY.test(path)) return undefined;
  if (REFUSALS.has(status)) return { events: [...(own ?? []), 'ACCESS_REFUSED'], outcome: 'FAILURE' };
  if (own === undefined || status === 404) return undefined;
  // A body that cannot be read is no attempt to refresh; it is a login that was refused.
  if (path.endsWith('/refresh') && status < 500) return undefined;
  return { events: own, outcome: 'FAILURE' };
}
