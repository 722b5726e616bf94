import type { AuditDetail, AuditKind, AuditReport } from '../../security/audit/audit-event.ts';
import type { AuditEventName } from '../../interface/security/audit-event.ts';
import type { AuditLog } from '../../security/audit/audit-log.ts';
import type { AuditAnnotation } from '../../security/audit/audit-annotation.ts';
import { createNameDigest } from '../../security/audit/name-digest.ts';
import { GatewayError, NotShown } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { RandomSource } from '../../base/random.ts';
import { readBasicCredentials } from '../../security/identity/basic-credentials.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import { findSessionCookie } from './cookie.ts';
import { LocalCommandAudit } from './connection/local-command-audit.ts';
import { isTrial } from './query.ts';
import type { RequestContext } from './request-context.ts';

/** Audits operations and refused requests. */
export interface AuditTrail {
  /**
   * Stores the planned change of a request before it is made, so that a crash in between leaves a trace.
   *
   * @returns undefined if the request changes nothing that is audited
   * @throws {StoreFailure} if the audit cannot be stored; the change must not be made then
   */
  announce(context: RequestContext, nowMs: number): Promise<void> | undefined;
  /**
   * Records a request that must be audited; called once, when its response is decided. Never throws.
   *
   * If an endpoint declares `audit`, its event is recorded once its operation was attempted. Any other 401, 403 and 429 is
   * ACCESS_REFUSED, except the session queries of a client without credentials; so is the 404 of an asset without a grant. Other
   * requests over the local socket are one LOCAL_ACCESS when their connection ends, unless one of them has an event already;
   * status requests are not recorded. An unknown name is never recorded, only a digest as `unknownName`.
   *
   * @param error error that caused the response, if any; its code is recorded
   * @returns resolves when the effects reported by the response are stored; undefined if it reports none
   */
  recordAnswer(context: RequestContext, status: number, error?: unknown): Promise<void> | undefined;
}

interface AuditTrailOptions {
  readonly audit: Pick<AuditLog, 'announce' | 'record' | 'settle' | 'whenStored'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => Pick<RestSettings, 'statelessCertificateAuthenticationEnabled'>;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  /** Default: the system's random source. */
  readonly random?: RandomSource;
}

/** Creates an audit trail. */
export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const { audit, identities, rest, logger, monotonicMs, random } = options;
  const digest = createNameDigest(random);
  const localCommands = new LocalCommandAudit((report) => audit.record(report), monotonicMs);

  function nameOf(name: string | undefined, isProved: boolean): Pick<AuditReport, 'identity' | 'detail'> {
    if (name === undefined) return {};
    if (isProved || identities.find(name) !== undefined) return { identity: name };
    return { detail: { unknownName: digest(name) } };
  }

  function describe(
    context: RequestContext,
    kind: AuditKind,
    status: number,
    note: AuditAnnotation | undefined,
  ) {
    const { principal, remoteAddress, requestId } = context;
    const { method, claimedName } = findClaim(context, status);
    const { identity, detail } = nameOf(claimedName, principal !== undefined || status < 400);
    const target = findTarget(context);
    const effect = note?.hasEffect === undefined ? {} : { hasEffect: note.hasEffect };
    const report = { ...kind, identity, method, address: remoteAddress, requestId, target, ...effect };
    const command = findLocalCommand(context);
    return { report, common: { ...(command === undefined ? {} : { command }), ...detail } };
  }

  function record(context: RequestContext, kind: AuditKind, status: number, error: unknown): void {
    const { auditAnnotation: note, announcement } = context;
    const { report, common: known } = describe(context, kind, status, note);
    const common = { ...known, ...describeFailure(context, kind, status, error) };
    const { socket } = context.request;
    if (kind.event === 'LOCAL_ACCESS' && !isEndless(context)) {
      localCommands.note(socket, { ...report, detail: common });
      return;
    }
    if (context.isLocal) localCommands.show(socket);
    for (const own of note?.details ?? [{}]) {
      audit.record({ ...report, detail: { ...common, ...own } }, announcement);
    }
  }

  async function announce(context: RequestContext, event: AuditEventName, nowMs: number): Promise<void> {
    const note = context.describeAttempt?.(nowMs);
    const { report, common } = describe(context, { event, outcome: 'FAILURE' }, 200, note);
    const details = note?.details ?? [{ code: 'INTERRUPTED' }];
    const toReport = (own: AuditDetail): AuditReport => ({ ...report, detail: { ...common, ...own } });
    context.announcement = await audit.announce(details.map(toReport));
  }

  function isMereQuestion({ endpoint, request, certificate }: RequestContext, status: number): boolean {
    if (status !== 401 || endpoint?.isSessionQuery !== true) return false;
    const { authorization, cookie } = request.headers;
    // A browser keeps the cookie of an ended session and sends it with the request for the next token.
    const isCookieProof = endpoint.isXsrfExempt !== true && findSessionCookie(cookie) !== undefined;
    const isCertificateProof = certificate !== undefined && rest().statelessCertificateAuthenticationEnabled;
    return authorization === undefined && !isCookieProof && !isCertificateProof;
  }

  return {
    announce(context, nowMs) {
      const event = findEvent(context);
      if (event === undefined || !CHANGES.has(event) || isTrial(context.request)) return undefined;
      return announce(context, event, nowMs);
    },
    recordAnswer(context, status, error) {
      try {
        const kind = findKind(context, status, error);
        if (kind === undefined || isMereQuestion(context, status)) return undefined;
        record(context, kind, status, error);
        return audit.whenStored();
      } catch (defect) {
        // The client still receives its response.
        logger.error('audit.recordFailed', { requestId: context.requestId, error: defect });
        return undefined;
      } finally {
        if (context.announcement !== undefined) audit.settle(context.announcement);
      }
    },
  };
}

// A stream is audited when it opens; it can last for days.
function isEndless({ endpoint }: RequestContext): boolean {
  return endpoint?.response.contentType === 'text/event-stream';
}

// Events stored before the operation. Logins and revocations continue while the disk is full.
const CHANGES: ReadonlySet<AuditEventName> = new Set([
  'CHANNEL_WRITE',
  'CONFIGURATION_CHANGED',
  'IDENTITY_CREATED',
  'IDENTITY_CHANGED',
  'IDENTITY_REMOVED',
  'TRUST_CHANGED',
  'BUNDLE_RESTARTED',
  'SIGNING_KEY_ROTATED',
]);

const REFUSALS = new Set([401, 403, 429]);

function findKind(context: RequestContext, status: number, error: unknown): AuditKind | undefined {
  const { endpoint, principal, auditAnnotation: note } = context;
  const event = note?.event ?? findEvent(context);
  if (event !== undefined && isAttempted(context, status)) {
    return { event, outcome: status < 400 ? (note?.outcome ?? 'SUCCESS') : 'FAILURE' };
  }
  if (error instanceof NotShown) return { event: 'ACCESS_REFUSED', outcome: 'FAILURE' };
  if (REFUSALS.has(status)) return { event: 'ACCESS_REFUSED', outcome: 'FAILURE' };
  const method: string | undefined = principal?.method;
  if (status < 400 && endpoint?.isStatus === true) return undefined;
  return method === 'local'
    ? { event: 'LOCAL_ACCESS', outcome: status < 400 ? 'SUCCESS' : 'FAILURE' }
    : undefined;
}

function findEvent({ endpoint, request }: RequestContext): AuditEventName | undefined {
  if (endpoint?.auditOfTrial === undefined) return endpoint?.audit;
  // A dry run that cannot be parsed counts as a dry run as well: a search for changes must not find it.
  return isTrial(request) ? endpoint.auditOfTrial : endpoint.audit;
}

// Names the command that a request of `penstock` belongs to, without its arguments.
const COMMAND_FIELD = 'x-penstock-command';
const COMMAND = /^[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*){0,2}$/;
const MAXIMUM_COMMAND_LENGTH = 40;

function findLocalCommand({ request, isLocal }: RequestContext): string | undefined {
  const command = request.headers[COMMAND_FIELD];
  const isTaken = isLocal && typeof command === 'string' && command.length <= MAXIMUM_COMMAND_LENGTH;
  return isTaken && COMMAND.test(command) ? command : undefined;
}

/** True if the request reached its operation. */
function isAttempted({ endpoint, principal }: RequestContext, status: number): boolean {
  if (endpoint?.access !== 'PUBLIC') return principal !== undefined && status !== 403;
  // A malformed login is a refused login.
  if (endpoint.isLogin === true) return true;
  // Any other malformed request to an endpoint without authentication is not an attempt at its operation.
  return status < 400 || status >= 500 || REFUSALS.has(status);
}

/** Sender of the request: proved, noted by the operation, or else claimed by the client. */
type Claim = Pick<AuditAnnotation, 'method' | 'claimedName'>;

function findClaim(context: RequestContext, status: number): Claim {
  const { endpoint, principal, auditAnnotation: note } = context;
  if (principal !== undefined) return { method: principal.method, claimedName: principal.identity.name };
  const isSaid = note?.method !== undefined || note?.claimedName !== undefined;
  // A malformed login claims no name, whatever else the request carries.
  return status < 400 || isSaid || endpoint?.isLogin === true ? (note ?? {}) : readClaim(context);
}

function readClaim({ request, certificate }: RequestContext): Claim {
  const { authorization = '', cookie } = request.headers;
  const basic = readBasicCredentials(authorization);
  if (basic !== undefined) return { method: 'basic', claimedName: basic.name };
  if (/^bearer /i.test(authorization)) return { method: 'bearer' };
  if (findSessionCookie(cookie) !== undefined) return { method: 'session' };
  if (certificate === undefined) return {};
  const { commonNames } = certificate;
  return { method: 'certificate', claimedName: commonNames.length === 1 ? commonNames[0] : undefined };
}

function describeFailure(
  { endpoint }: RequestContext,
  { event }: AuditKind,
  status: number,
  error: unknown,
): AuditReport['detail'] {
  if (status < 400) return {};
  return {
    status,
    ...(error instanceof GatewayError ? { code: error.code } : {}),
    ...(event === 'ACCESS_REFUSED' && endpoint !== undefined ? { httpMethod: endpoint.method } : {}),
  };
}

/** Returns the path of the endpoint with its parameters filled in, never the query, which may hold secrets. */
function findTarget({ endpoint, parameters }: RequestContext): string | undefined {
  return endpoint?.path.replace(/:(\w+)/g, (placeholder, name: string) => {
    const value = parameters[name];
    // Encoded, so that a name with a slash does not read as another path.
    return value === undefined ? placeholder : encodeURIComponent(value.toWellFormed());
  });
}
