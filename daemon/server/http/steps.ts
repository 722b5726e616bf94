import { InvalidRequest, NotFound, NotPermitted } from '../../base/errors.ts';
import { networkOf } from '../../base/network/network-address.ts';
import { explainFaults } from '../../base/document-error.ts';
import { check } from '../../base/schema.ts';
import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import type { Authenticator } from '../../security/identity/authenticator.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { Principal } from '../../security/identity/identity.ts';
import { isAccessAllowed } from '../../security/identity/required-action.ts';
import { findRequiredActionOf, findCurrentIdentity } from '../../security/identity/current-identity.ts';
import type { FindRequestSession } from '../../security/session/request-session.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { YamlReader } from '../../settings/yaml-reader.ts';
import { mayUse } from './access-policy.ts';
import type { Answer } from './answer.ts';
import { checkAccept, checkContentType, lacksBody, readMediaType } from './content-negotiation.ts';
import { toCredentials } from './credentials.ts';
import type { RequestContext, Step } from './request-context.ts';
import { digestPieces } from './idempotent-requests.ts';
import { decodeText } from './body/body-text.ts';
import { dropNullMembers, parseJson, receiveBody } from './body/json-body.ts';
import { HttpRefusal } from './problem.ts';
import { createNotAuthenticated } from './refused-credentials.ts';
import { reserveBody } from './connection/request-memory.ts';
import type { SeenCertificates } from './connection/seen-certificates.ts';
import { createQueryRefusal, quoteParameter, listUnknownParameters } from './query.ts';
import type { Endpoint, WholeBody } from './endpoint.ts';
import type { Route } from './route.ts';
import { createOptionsRoute, formatAllow } from './route.ts';
import type { StaticSite } from './static-site.ts';
import { answerFile } from './static-site.ts';

/** 404: hides the interface on ports that are not allowed. */
export function refuseClosedPort(rest: () => RestSettings): Step {
  return (context) => {
    const { allowedPorts } = rest();
    if (context.isLocal || allowedPorts.length === 0 || allowedPorts.includes(context.port)) return;
    throw unknownPath();
  };
}

/**
 * 401, then 404 with a sentence: a path that another product has, and this one serves in another way. Callers without credentials
 * see what they see of every endpoint.
 *
 * @param find returns the sentence for an absolute path; undefined for other paths, which continue
 */
export function refuseForeignPath(
  find: (path: string) => string | undefined,
  authenticateCaller: Step,
): Step {
  return (context) => {
    const detail = find(pathOf(context));
    if (detail === undefined) return undefined;
    const refuse = (): never => {
      throw new NotFound({ code: 'NO_COUNTERPART', detail });
    };
    enter(context, {
      method: 'GET',
      path: '/*',
      summary: 'Names the counterpart of a path of another product',
      access: 'ANY_IDENTITY',
      isOfSpecification: true,
      response: { status: 200 },
      handle: refuse,
    });
    const done = authenticateCaller(context);
    return done instanceof Promise ? done.then(refuse) : refuse();
  };
}

/** Returns the path as sent; nothing is decoded or resolved. */
function pathOf({ request: { url = '' } }: RequestContext): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
}

/**
 * Chooses the static file for a path without a route. 404 if there is none, and on the local socket, which browsers do not
 * use; 405 for other methods.
 */
export function chooseFile(site: () => StaticSite | undefined): Step {
  return (context) => {
    const { method } = context.request;
    const path = pathOf(context);
    const file = context.isLocal ? undefined : site()?.get(path);
    if (file === undefined) throw unknownPath();
    const route: Route = {
      method: 'GET',
      path: path === '/' ? path : '/*',
      summary: 'Sends a file of the site',
      access: 'PUBLIC',
      // Browsers and the pages that link here add parameters of their own.
      isOfSpecification: true,
      response: { status: 200 },
      handle: ({ request }) => answerFile(request, file),
    };
    enter(context, findByMethod([route], method));
  };
}

function unknownPath(): NotFound {
  return new NotFound({ code: 'PATH_UNKNOWN', detail: 'nothing at this path' });
}

/** 404 for a disabled endpoint, 405 for a method that the path does not have. */
export function chooseRoute(routes: readonly Route[], rest: () => RestSettings): Step {
  return (context) => {
    const settings = rest();
    const available = routes.filter(({ isAvailable }) => isAvailable?.(settings) ?? true);
    if (available.length === 0) {
      throw new NotFound({ code: 'ENDPOINT_DISABLED', detail: 'this endpoint is disabled' });
    }
    enter(context, findByMethod(available, context.request.method));
  };
}

/** @throws {HttpRefusal} 405 */
function findByMethod(available: readonly Route[], method: string | undefined): Route {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route =
    wanted === 'OPTIONS'
      ? createOptionsRoute(available)
      : available.find((candidate) => candidate.method === wanted);
  if (route !== undefined) return route;
  throw new HttpRefusal({
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    detail: `${method ?? 'this method'} is not allowed here`,
    headers: { Allow: formatAllow(available.map((candidate) => candidate.method)) },
  });
}

function enter(context: RequestContext, route: Route): void {
  context.endpoint = route;
  context.operation = () => route.handle(context);
  context.answerInterrupted = (nowMs) => route.answerInterrupted?.(context, nowMs);
  if (route.describeAttempt !== undefined) {
    context.describeAttempt = (nowMs) => route.describeAttempt?.(context, nowMs) ?? {};
  }
  context.answerInstead = (first) => route.answerInstead?.(context, first);
}

/**
 * 403 for a cross-origin request that does more than read: the browser adds the user's credentials, so that any page could
 * install programs as an administrator. Reads are harmless: no response permits the page to see it.
 */
export const refuseOtherHost: Step = ({ endpoint, isFromOtherHost }) => {
  if (!isFromOtherHost || endpoint?.method === 'GET' || endpoint?.method === 'OPTIONS') return;
  const detail = 'cross-origin requests may only read; behind a proxy, see http.trustedProxies';
  throw new NotPermitted({ code: 'ORIGIN_REFUSED', detail });
};

/** 415 and 406. */
export const checkContent: Step = ({ request, endpoint }) => {
  if (endpoint?.method === 'OPTIONS') return;
  if (endpoint?.request !== undefined && !lacksBody(request)) {
    const { contentType, alternativeType = contentType } = endpoint.request;
    checkContentType(request, ...new Set([contentType, alternativeType]));
  }
  // Nothing is chosen for an answer without content (RFC 9110, 12.1); a refusal is JSON, whatever is accepted.
  const { schema, contentType, alternativeTypes = [] } = endpoint?.response ?? {};
  if (schema !== undefined || contentType !== undefined) {
    checkAccept(request, contentType ?? 'application/json', ...alternativeTypes);
  }
};

interface AuthenticateParts {
  readonly authenticator: Authenticator;
  readonly findSession: FindRequestSession;
  readonly rest: () => RestSettings;
  readonly seenCertificates?: Pick<SeenCertificates, 'note'> | undefined;
}

/**
 * 401 unless the request is authenticated or the route is public. A session that the request carries in addition is found as
 * well; it may belong to another identity.
 */
export function authenticate(parts: AuthenticateParts): Step {
  const { authenticator, findSession, rest, seenCertificates } = parts;
  return (context) => {
    if (endpointOf(context).access === 'PUBLIC') return undefined;
    const credentials = toCredentials(context);
    const accept = (principal: Principal | undefined): void => {
      if (principal === undefined) throw createNotAuthenticated(credentials, rest());
      context.principal = principal;
      if (context.certificate !== undefined) {
        seenCertificates?.note(context.certificate, principal.identity.name);
      }
      context.connection.noteIdentity(principal.identity.id);
      context.sessionId = principal.sessionId ?? findSession(credentials)?.session.id;
    };
    const principal = authenticator.authenticate(credentials);
    if (!(principal instanceof Promise)) return accept(principal);
    return principal.then(accept);
  };
}

/** 403 unless the identity has the permission of the route. */
export function authorize(context: RequestContext): void {
  const { access } = endpointOf(context);
  if (mayUse(context.principal, access)) return;
  throw new NotPermitted({ code: 'PERMISSION_MISSING', detail: `missing permission ${access}` });
}

/** 400 for a path or query with NUL or invalid UTF-8 in its percent-encoding, which would be replaced. */
export const refuseMalformedTarget: Step = ({ request: { url = '' } }) => {
  const isText = /^[\x21-\x7e]*$/.test(url) && !url.includes('%00');
  if (isText && isPercentEncoded(url.slice(url.indexOf('?') + 1))) return;
  throw createQueryRefusal('path and query must be percent-encoded UTF-8 without NUL');
};

function isPercentEncoded(query: string): boolean {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/** 400 for unknown query parameters of our own endpoints: a misspelt one must not count as absent. */
export const refuseUnknownParameters: Step = (context) => {
  const unknown = listUnknownParameters(endpointOf(context), context.request.url ?? '');
  if (unknown.length === 0) return;
  const names = unknown.slice(0, 10).map(quoteParameter).join(', ');
  throw createQueryRefusal(`unknown query parameters: ${names}`);
};

interface ReceiveParts {
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly findSession: FindRequestSession;
  readonly rest: () => RestSettings;
  readonly clock: SliceClock;
  readonly yaml: Pick<YamlReader, 'read'>;
}

/**
 * 413 and 400: receives the body and checks it against the schema of the route. 401 and 403 again, because the sender may
 * lose access while a slow body arrives.
 */
export function receive(parts: ReceiveParts): Step {
  return (context) => {
    const { request: expected } = endpointOf(context);
    if (expected === undefined) return undefined;
    if (lacksBody(context.request)) {
      throw new InvalidRequest({ code: 'BODY_MISSING', detail: 'a request body is required' });
    }
    if (expected.receive === undefined) {
      return receiveWhole(context, expected, parts).then(() => confirm(context, parts));
    }
    const { request, connection, principal, remoteAddress } = context;
    const incoming = {
      request,
      party: principal?.identity.id ?? networkOf(remoteAddress),
      boundOwnTime: () => connection.noteOwnTime(),
    };
    return expected.receive(incoming).then(async (body) => {
      context.body = body;
      try {
        confirm(context, parts);
      } catch (error) {
        await expected.discard(body);
        throw error;
      }
    });
  };
}

function confirm(context: RequestContext, parts: Omit<ReceiveParts, 'yaml'>): void {
  const { principal } = context;
  if (principal === undefined) return;
  const hasEnded = principal.method === 'session' && hasSessionEnded(context, parts);
  const identity = hasEnded ? undefined : findCurrentIdentity(principal, parts.identities);
  if (identity === principal.identity) return;
  if (
    identity === undefined ||
    !isAccessAllowed(findRequiredActionOf(principal, identity), endpointOf(context))
  ) {
    context.principal = undefined;
    throw createNotAuthenticated(toCredentials(context), parts.rest());
  }
  context.principal = { ...principal, identity };
  authorize(context);
}

/** True if the session was ended. It may expire while the body arrives, because that counts as activity. */
function hasSessionEnded(
  context: RequestContext,
  { findSession, rest, clock }: Omit<ReceiveParts, 'yaml'>,
): boolean {
  const lastedMs = clock.monotonicMs() - context.startedAtMs;
  if (lastedMs >= rest().sessionInactivityIntervalSeconds * 1000) return false;
  return findSession({ ...toCredentials(context), isRecheck: true }) === undefined;
}

function receiveWhole(
  context: RequestContext,
  expected: WholeBody<unknown>,
  { yaml, clock }: Pick<ReceiveParts, 'yaml' | 'clock'>,
): Promise<void> {
  const { isOfSpecification = false, isNullAbsent = isOfSpecification } = endpointOf(context);
  const take = (body: unknown): void => {
    if (isNullAbsent) dropNullMembers(body);
    const checked = check(expected.schema, body);
    if (checked.faults !== undefined)
      throw new InvalidRequest({ code: 'BODY_INVALID', ...explainFaults(checked.faults) });
    context.body = checked.value;
  };
  return receiveBody(context.request, expected.maximumBytes, reserveBody(context)).then(async (pieces) => {
    if (context.keyed !== undefined) context.keyed.body = await runInSlices(digestPieces(pieces), clock);
    const mediaType = readMediaType(context.request);
    if (mediaType === 'application/yaml') return take((await yaml.read(Buffer.concat(pieces))).value);
    const work = mediaType === 'application/json' ? parseJson(pieces, expected) : decodeText(pieces);
    return take(await runInSlices(work, clock));
  });
}

/** Runs the operation of the route and passes on its response. */
export function operate(decide: (context: RequestContext, answer: Answer) => Promise<void> | void): Step {
  return (context) => {
    if (context.operation === undefined) throw new Error('a step came before the route was chosen');
    const answer = context.operation();
    if (!(answer instanceof Promise)) return decide(context, answer);
    return answer.then((settled) => decide(context, settled));
  };
}

/** Converts an error of the router, such as one for invalid percent-encoding, into one of our own. */
export function asRefusal(error: unknown): unknown {
  // The router marks what it could not decode; without the mark, an operation threw the error.
  const isMarked = error instanceof URIError && (error as { readonly status?: unknown }).status === 400;
  if (!isMarked) return error;
  return new InvalidRequest({
    code: 'PATH_MALFORMED',
    detail: 'the path is not valid percent-encoding',
    cause: error,
  });
}

function endpointOf({ endpoint }: RequestContext): Endpoint {
  if (endpoint === undefined) throw new Error('a step came before the route was chosen');
  return endpoint;
}
