import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { Router } from 'express';

import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { FindCarriedSession } from '../session/carried-session.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { YamlReader } from '../settings/yaml-reader.ts';
import { hasBearerScheme } from '../token/bearer-provider.ts';
import { sendAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { AccessLog } from './access-log.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { RequestConnection } from './connection.ts';
import type { EventStreams } from './event-streams.ts';
import type { Exchange, Step } from './exchange.ts';
import { toProblemAnswer } from './problem.ts';
import { holdAnswer } from './request-room.ts';
import type { Route } from './route.ts';
import { findForwardedAddress } from './forwarded-address.ts';
import { isFromOtherHost, readOriginClaims } from './request-origin.ts';
import { listSecurityHeaders } from './security-headers.ts';
import * as steps from './steps.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The port on which a request came in. */
export interface Entrance {
  readonly port: number;
  readonly isTls: boolean;
  /** It came over the socket on the machine itself, which only administrators can reach. */
  readonly isLocal: boolean;
  /** Aborts when the port is about to close. */
  readonly closing: AbortSignal;
  readonly connection: RequestConnection;
}

/** Answers one request; never throws. */
export type Application = (request: IncomingMessage, response: ServerResponse, entrance: Entrance) => void;

export interface ApplicationParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly findSession: FindCarriedSession;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
  readonly trustedProxies: () => TrustedProxies;
  readonly trail: AuditTrail;
  readonly streams: EventStreams;
  readonly accessLog: AccessLog;
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the pipeline that every request takes. The order of the checks is part of the contract: what is refused first
 * tells least.
 */
export function createApplication(parts: ApplicationParts): Application {
  const { rest, authenticator } = parts;
  const router = Router({ caseSensitive: true });
  const securityHeaders = listSecurityHeaders();
  // The router hands on nothing but the request.
  const exchanges = new WeakMap<IncomingMessage, Exchange>();

  const first = [
    steps.refuseAmbiguousHeaders, // 400, 431
    steps.refuseClosedPort(rest), // 404
  ];
  for (const [path, routes] of groupByPath(parts.routes)) {
    router.all(
      path, // 404 when none matches
      inOrder([
        steps.chooseRoute(routes, rest), // 404, 405
        steps.refuseOtherHost, // 403
        steps.checkContent, // 415, 406
        steps.authenticate(authenticator, parts.findSession), // 401
        steps.authorize, // 403
        steps.refuseUnknownParameters, // 400
        steps.receive(parts.identities, parts.yaml), // 400, 413
        steps.operate(decide),
      ]),
    );
  }
  router.use(inOrder([steps.refuseUnknownPath]));

  return (request, response, entrance) => {
    const exchange = openExchange(parts, request, response, entrance);
    exchanges.set(request, exchange);
    runFrom(first, 0, exchange, (thrown) => {
      if (thrown === undefined)
        router(request as never, response as never, (error) => refuse(exchange, error));
      else refuse(exchange, thrown);
    });
  };

  /** Returns one handler of several steps; a step that answers without waiting costs no turn of the event loop. */
  function inOrder(
    list: readonly Step[],
  ): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void {
    return (request, _response, next) => {
      const exchange = exchanges.get(request);
      if (exchange === undefined) {
        next(new Error('a request without exchange'));
        return;
      }
      const { params } = request as IncomingMessage & { readonly params?: Readonly<Record<string, string>> };
      if (params !== undefined) exchange.parameters = params;
      runFrom(list, 0, exchange, next);
    };
  }

  function refuse(exchange: Exchange, thrown: unknown): void {
    const error = steps.asRefusal(thrown);
    decide(exchange, toProblemAnswer(error, exchange, { logger: parts.logger, challenges }), error);
  }

  function decide(exchange: Exchange, answer: Answer, error?: unknown): void {
    const { events } = exchange.request.method === 'HEAD' ? {} : answer;
    if (events !== undefined) parts.streams.checkRoom(exchange); // 429, 503
    holdAnswer(exchange, answer); // 503
    // Before it is sent: what the operation did is done, whether the client is still there or not.
    parts.trail.recordAnswer(exchange, answer.status, error);
    parts.accessLog(exchange, answer.status);
    const fixed = [...securityHeaders, 'X-Request-Id', exchange.requestId];
    if (events === undefined) sendAnswer(exchange.response, answer, fixed);
    else parts.streams.open(exchange, answer, events, fixed);
  }

  function challenges({ request, route }: Exchange): readonly string[] {
    const { basicAuthenticationEnabled, passwordAuthenticationEnabled, jwtAuthenticationEnabled } = rest();
    // An endpoint for anybody does not look at the field.
    const isRefused = route?.access !== 'ANYBODY' && hasBearerScheme(request.headers.authorization);
    return [
      ...(basicAuthenticationEnabled && passwordAuthenticationEnabled ? ['Basic realm="penstock"'] : []),
      ...(jwtAuthenticationEnabled ? [isRefused ? 'Bearer error="invalid_token"' : 'Bearer'] : []),
    ];
  }
}

function openExchange(
  { clock, trustedProxies }: ApplicationParts,
  request: IncomingMessage,
  response: ServerResponse,
  { port, isTls, isLocal, closing, connection }: Entrance,
): Exchange {
  return {
    request,
    response,
    startedAtMs: clock.monotonicMs(),
    requestId: acceptRequestId(request.headers['x-request-id']),
    port,
    isTls,
    isLocal,
    remoteAddress: isLocal ? 'local' : findForwardedAddress(request, trustedProxies()),
    isFromOtherHost: isFromOtherHost(readOriginClaims(request, trustedProxies())),
    certificate: connection.findCertificate(clock.epochMs()),
    closing,
    connection,
  };
}

function acceptRequestId(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  return Map.groupBy(routes, ({ path }) => path);
}

function runFrom(
  list: readonly Step[],
  start: number,
  exchange: Exchange,
  next: (error?: unknown) => void,
): void {
  const fail = (thrown: unknown): void => next(asError(thrown));
  try {
    for (let index = start; index < list.length; index += 1) {
      const pending = list[index]?.(exchange);
      if (pending === undefined) continue;
      pending.then(() => runFrom(list, index + 1, exchange, next), fail);
      return;
    }
  } catch (error) {
    fail(error);
    return;
  }
  if (!exchange.response.headersSent) next();
}

// To the router nothing means success, and some words have a meaning of their own.
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown: ${messageOf(thrown)}`);
}
