import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import type { Authenticator } from '../../security/identity/authenticator.ts';
import type { IdempotencyStore } from '../../security/idempotency/idempotency-store.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { FindRequestSession } from '../../security/session/request-session.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { YamlReader } from '../../settings/yaml-reader.ts';
import { isBasicEnabled } from '../../security/identity/provider/basic-provider.ts';
import { hasBearerScheme } from '../../security/token/bearer-provider.ts';
import { sendAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { AccessLog } from './access-log.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ConnectionContext } from './connection/connection-context.ts';
import { Dispatcher } from './dispatcher.ts';
import type { EventStreams } from './stream/event-streams.ts';
import type { IsKnownHost } from './proxy/host-names.ts';
import type { RequestContext, Step } from './request-context.ts';
import { toProblemAnswer } from './problem.ts';
import { reserveResponse } from './connection/request-memory.ts';
import { createIdempotentRequests } from './idempotent-requests.ts';
import { ResponseCoder, revalidate } from './response-coder.ts';
import type { Route } from './route.ts';
import { readForwarded, findForwardedAddress } from './proxy/forwarded.ts';
import { isFromOtherHost, readOriginClaims } from './proxy/request-origin.ts';
import { runSteps } from './run-steps.ts';
import { listPageSecurityHeaders, listSecurityHeaders, listTransportSecurity } from './security-headers.ts';
import type { StaticSite } from './static-site.ts';
import type { SeenCertificates } from './connection/seen-certificates.ts';
import * as headSteps from './head-steps.ts';
import * as steps from './steps.ts';
import type { TrustedProxies } from './proxy/trusted-proxies.ts';

/** Handles one request; never throws. */
export type Application = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: ConnectionContext,
) => void;

interface ApplicationParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly findSession: FindRequestSession;
  readonly seenCertificates?: Pick<SeenCertificates, 'note'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
  readonly trustedProxies: () => TrustedProxies;
  readonly isKnownHost: IsKnownHost;
  readonly trail: AuditTrail;
  readonly streams: EventStreams;
  readonly accessLog: AccessLog;
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly requestKeys: IdempotencyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `max-age` of Strict-Transport-Security; 0 or absent: the header is not sent. */
  readonly strictTransportSecuritySeconds?: () => number;
  /** Static files of the console; absent or undefined: none. */
  readonly site?: () => StaticSite | undefined;
  /** Returns a sentence for a path of another product that has no counterpart; absent: there are none. */
  readonly describeForeignPath?: (path: string) => string | undefined;
  /** Default: the system's random source. */
  readonly random?: RandomSource;
}

/**
 * Creates the request pipeline. The order of the checks is part of the contract: the earlier a refusal, the less it
 * discloses.
 */
export function createApplication(parts: ApplicationParts): Application {
  const { rest } = parts;
  const securityHeaders = listSecurityHeaders();
  const pageSecurityHeaders = listPageSecurityHeaders();
  const coder = new ResponseCoder();
  const keyed = createIdempotentRequests(parts.requestKeys, parts.logger);

  const announce: Step = (context) => parts.trail.announce(context, parts.clock.epochMs());
  const first = [
    headSteps.refuseOtherVersions, // 505
    headSteps.refuseMalformedLine, // 400
    headSteps.refuseAmbiguousHeaders, // 400, 431
    headSteps.refuseForeignHost(parts.isKnownHost, parts.trustedProxies), // 421
    steps.refuseClosedPort(rest), // 404
  ];
  const authenticate = steps.authenticate(parts);
  const pathSteps = (routes: readonly Route[]): readonly Step[] => [
    steps.chooseRoute(routes, rest), // 404, 405
    steps.refuseOtherHost, // 403
    steps.checkContent, // 415, 406
    authenticate, // 401
    steps.authorize, // 403
    steps.refuseMalformedTarget, // 400
    steps.refuseUnknownParameters, // 400
    keyed.admit, // 400, 409
    steps.receive(parts), // 400, 413
    announce, // 503
    keyed.claim, // 409, 422, 429, 503
    steps.operate(decide),
  ];
  const otherwise = [
    steps.refuseForeignPath(parts.describeForeignPath ?? (() => undefined), authenticate), // 401, 404
    steps.chooseFile(parts.site ?? (() => undefined)), // 404, 405
    steps.refuseOtherHost, // 403
    steps.refuseMalformedTarget, // 400
    steps.operate(decide),
  ];
  const dispatcher = new Dispatcher(
    [...groupByPath(parts.routes)].map(([path, routes]) => [path, pathSteps(routes)] as const),
    otherwise, // 404 when none matches
  );

  return (request, response, connection) => {
    const context = createContext(parts, request, response, connection);
    const refuseWith = (error: unknown): void => refuse(context, error);
    runSteps(first, context, (error) => {
      if (error === undefined) dispatcher.dispatch(context, refuseWith);
      else refuse(context, error);
    });
  };

  function refuse(context: RequestContext, thrown: unknown): void {
    const error = steps.asRefusal(thrown);
    // Rejects only if a stream exceeds a limit; a refusal is not a stream.
    void decide(context, toProblemAnswer(error, context, { logger: parts.logger, challenges }), error);
  }

  function decide(context: RequestContext, full: Answer, error?: unknown): Promise<void> | void {
    const answer = revalidate(context, full);
    const { events } = context.request.method === 'HEAD' ? {} : answer;
    if (events !== undefined) parts.streams.checkCapacity(context); // 429, 503
    reserveResponse(context, answer); // 503
    // Record before sending: the operation has taken effect, even if the client has disconnected.
    const stored = parts.trail.recordAnswer(context, answer.status, error);
    if (stored === undefined) return deliver(context, answer, error);
    return stored.then(() => deliver(context, answer, error));
  }

  function deliver(context: RequestContext, answer: Answer, error: unknown): Promise<void> | void {
    const { events } = context.request.method === 'HEAD' ? {} : answer;
    // Store the response before any other trace of it becomes visible, so that a retry gets the same one.
    keyed.settle(context, answer, error);
    parts.accessLog(context, answer.status);
    const restrictions = answer.file === undefined ? securityHeaders : pageSecurityHeaders;
    // Browsers have to ignore it over plain HTTP (RFC 6797, 7.2).
    const transport = context.isSecure ? listTransportSecurity(parts.strictTransportSecuritySeconds?.()) : [];
    const fixed = [...restrictions, ...transport, 'X-Request-Id', context.requestId];
    if (events !== undefined) return parts.streams.open(context, answer, events, fixed);
    const coded = coder.code(context, prefixLocation(answer, context));
    const send = (ready: Answer): void => sendAnswer(context.response, ready, fixed);
    return coded instanceof Promise ? coded.then(send) : send(coded);
  }

  function challenges(context: RequestContext): readonly string[] {
    const { jwtAuthenticationEnabled } = rest();
    const { request, endpoint } = context;
    // An endpoint for anybody ignores the field.
    const isRefused = endpoint?.access !== 'PUBLIC' && hasBearerScheme(request.headers.authorization);
    return [
      ...(mayAskForBasic(context) ? ['Basic realm="penstock"'] : []),
      ...(jwtAuthenticationEnabled ? [isRefused ? 'Bearer error="invalid_token"' : 'Bearer'] : []),
    ];
  }

  /** A Basic challenge makes a browser open its own login dialog over the page. */
  function mayAskForBasic({ request, endpoint, principal }: RequestContext): boolean {
    if (!isBasicEnabled(rest())) return false;
    const isByScript = request.headers['x-requested-with'] !== undefined;
    // Accepted Basic credentials are not what is missing.
    return !isByScript && endpoint?.isXsrfExempt !== true && principal?.method !== 'basic';
  }
}

function createContext(
  { clock, trustedProxies, random = systemRandom }: ApplicationParts,
  request: IncomingMessage,
  response: ServerResponse,
  { port, isTls, isLocal, closing, connection, isLineMalformed = false }: ConnectionContext,
): RequestContext {
  const { isSecure = isTls, pathPrefix } = readForwarded(request, trustedProxies());
  return {
    request,
    response,
    isSecure,
    pathPrefix,
    startedAtMs: clock.monotonicMs(),
    requestId: findRequestId(request.headers['x-request-id']) ?? random.uuid(),
    port,
    isTls,
    isLocal,
    remoteAddress: isLocal ? 'local' : findForwardedAddress(request, trustedProxies()),
    isFromOtherHost: isFromOtherHost(readOriginClaims(request, trustedProxies())),
    certificate: connection.findCertificate(clock.epochMs()),
    closing,
    connection,
    isLineMalformed,
    parameters: {},
    principal: undefined,
    sessionId: undefined,
    body: undefined,
  };
}

/** Prefixes the Location of a response with the path under which the client reaches the gateway. */
function prefixLocation(answer: Answer, { pathPrefix }: RequestContext): Answer {
  const location = answer.headers?.['Location'];
  if (pathPrefix === '' || typeof location !== 'string' || !location.startsWith('/')) return answer;
  return { ...answer, headers: { ...answer.headers, Location: `${pathPrefix}${location}` } };
}

function findRequestId(given: string | readonly string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : undefined;
}

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  return Map.groupBy(routes, ({ path }) => path);
}
