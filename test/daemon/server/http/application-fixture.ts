import { connect } from 'node:net';
import type { TestContext } from 'node:test';

import { z } from '../../../../daemon/base/schema.ts';
import { Authenticator } from '../../../../daemon/security/identity/authenticator.ts';
import type { Credentials } from '../../../../daemon/security/identity/provider/authentication-provider.ts';
import type { Identity, Principal } from '../../../../daemon/security/identity/identity.ts';
import type { IdempotencyStore } from '../../../../daemon/security/idempotency/idempotency-store.ts';
import { ok } from '../../../../daemon/server/http/answer.ts';
import { createApplication } from '../../../../daemon/server/http/application.ts';
import type { Application } from '../../../../daemon/server/http/application.ts';
import { EventStreams } from '../../../../daemon/server/http/stream/event-streams.ts';
import { createTrustedProxies } from '../../../../daemon/server/http/proxy/trusted-proxies.ts';
import { Listener } from '../../../../daemon/server/http/connection/listener.ts';
import { defineRoute } from '../../../../daemon/server/http/route.ts';
import type { Route } from '../../../../daemon/server/http/route.ts';
import { restSettingsSchema } from '../../../../daemon/settings/rest-settings.ts';
import type { RestSettings } from '../../../../daemon/settings/rest-settings.ts';
import { YamlReader } from '../../../../daemon/settings/yaml-reader.ts';
import { createConnectionTable } from '../../../support/connection-table.ts';
import { send } from '../../../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../../../support/https-client.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createRequestKeys } from '../../../support/request-keys.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import type { MemoryLine } from '../../../support/memory-logger.ts';

export interface OpenApplication {
  readonly port: number;
  readonly lines: readonly MemoryLine[];
  /** The statuses that were recorded, in order. */
  readonly recorded: readonly number[];
  readonly application: Application;
  readonly streams: EventStreams;
  readonly clock: ManualClock;
  readonly requestKeys: IdempotencyStore;
  /** Closes the port as the gateway does when it stops. */
  readonly stop: () => Promise<void>;
  readonly send: (method: string, path: string, request?: ClientRequest) => Promise<ClientAnswer>;
  /** Sends bytes unchanged and returns all that is received until the connection closes. */
  readonly sendRaw: (text: string) => Promise<string>;
  /** Changes or removes the stored identity of this name; credentials still prove the unchanged identity. */
  readonly replaceIdentity: (name: string, changes: Partial<Identity> | undefined) => void;
}

/** Creates a route that answers 200 with `{"done":true}`. */
export function createRoute(changes: Partial<Route> = {}): Route {
  return defineRoute<unknown>({
    method: 'GET',
    path: '/thing',
    summary: 'Does a thing',
    access: 'PUBLIC',
    response: { status: 200, schema: z.strictObject({ done: z.boolean() }) },
    handle: () => ok({ done: true }),
    ...changes,
  });
}

/**
 * Creates an application in which `Authorization: <role>` proves an identity with the permission `rest.<role>`, and
 * `session <role>` and `bearer <role>` do so in that way.
 *
 * @param createKeys creates the ledger of request keys; in memory unless given
 */
export function createTestApplication(
  routes: readonly Route[],
  settings: Partial<RestSettings> = {},
  createKeys: (clock: ManualClock) => IdempotencyStore = createRequestKeys,
): Pick<
  OpenApplication,
  'application' | 'streams' | 'lines' | 'recorded' | 'clock' | 'requestKeys' | 'replaceIdentity'
> {
  const clock = new ManualClock(Date.now());
  const logger = createMemoryLogger();
  const requestKeys = createKeys(clock);
  const authenticator = new Authenticator({ clock, logger });
  authenticator.add({ name: 'role', priority: 1, authenticate: findRole });
  const rest = { ...restSettingsSchema.parse({}), ...settings };
  const replaced = new Map<string, Identity | undefined>();
  const recorded: number[] = [];
  const streams = new EventStreams({
    authenticator,
    identities: { find: () => undefined },
    rest: () => rest,
    clock,
  });
  const application = createApplication({
    trail: {
      announce: () => undefined,
      recordAnswer: (_context, status) => {
        recorded.push(status);
      },
    },
    accessLog: () => undefined,
    yaml: new YamlReader(),
    requestKeys,
    streams,
    routes,
    authenticator,
    findSession: () => undefined,
    identities: { find: (name) => (replaced.has(name) ? replaced.get(name) : toIdentity(name)) },
    rest: () => rest,
    isKnownHost: () => true,
    trustedProxies: () => createTrustedProxies(['127.0.0.2']),
    clock,
    logger,
  });
  return {
    application,
    streams,
    lines: logger.lines,
    recorded,
    clock,
    requestKeys,
    replaceIdentity(name, changes) {
      replaced.set(name, changes && { ...toIdentity(name), ...changes });
    },
  };
}

/** Opens an application on its own port until the test ends. */
export async function openApplication(
  t: TestContext,
  routes: readonly Route[],
  settings: Partial<RestSettings> = {},
): Promise<OpenApplication> {
  const parts = createTestApplication(routes, settings);
  const { application } = parts;
  const listener = new Listener({
    kind: 'http',
    host: '127.0.0.1',
    port: 0,
    application,
    connections: createConnectionTable(),
    drainMs: 100,
  });
  await listener.start();
  t.after(() => listener.stop());
  const { port } = listener;
  return {
    ...parts,
    port,
    stop: () => listener.stop(),
    send: (method, path, request) => send({ port, plain: true }, method, path, request),
    sendRaw: (text) => sendRaw(port, text),
  };
}

/** Sends bytes unchanged over TCP and returns all that is received until the connection closes. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

function findRole({ authorization = '' }: Credentials): Principal | undefined {
  const { method = 'custom', role } =
    /^(?:(?<method>session|bearer) )?(?<role>[a-z]+)$/.exec(authorization)?.groups ?? {};
  if (role === undefined) return undefined;
  const identity = toIdentity(role);
  if (method === 'session') return { method, identity, sessionId: `session of ${role}` };
  return { method: method === 'bearer' ? method : 'custom', identity };
}

/** Returns the identity that `Authorization: <role>` proves. */
export function toIdentity(role: string): Identity {
  return {
    id: role,
    name: role,
    permissions: [`rest.${role}`],
    passwordChangeNeeded: false,
    credentialsRevision: 1,
    createdAtMs: 0,
  };
}
