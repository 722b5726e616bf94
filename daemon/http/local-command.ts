import type { Endpoint } from './endpoint.ts';
import type { RequestContext } from './request-context.ts';

// Names the command that a request of `penstock` belongs to, without its arguments.
const COMMAND_FIELD = 'x-penstock-command';

const COMMAND = /^[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*){0,2}$/;
const LONGEST_COMMAND = 40;

/** Returns the command that a request over the local socket says it belongs to; undefined when it says none. */
export function findLocalCommand({ request, isLocal }: RequestContext): string | undefined {
  const command = request.headers[COMMAND_FIELD];
  const isTaken = isLocal && typeof command === 'string' && command.length <= LONGEST_COMMAND;
  return isTaken && COMMAND.test(command) ? command : undefined;
}

/**
 * What tells the state of the gateway and its parts, lists them, or shows how they are configured, which is what completion asks
 * for as well. Values of devices, tag sheets, the audit and backups are not among it.
 */
const STATUS_PATHS: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/services/openapi.json',
  '/services/assets',
  '/services/assets/:pid',
  '/services/assets/_status',
  '/services/assets/:pid/_status',
  '/services/assets/:pid/_plan',
  '/services/drivers/v1',
  '/services/drivers/v1/:pid/_trust',
  '/services/drivers/v1/_scans',
  '/services/drivers/v1/_scans/:id',
  '/services/session/v1/currentIdentity',
  '/services/session/v1/_own',
  '/services/session/v1/authenticationInfo',
  '/services/session/v1/secondFactor',
  '/services/session/v1/sessions',
  '/services/identity/v1/passwordRequirements',
  '/services/identity/v1/definedPermissions',
  '/services/identity/v1/identities',
  '/services/configuration/v1',
  '/services/configuration/v1/schema',
  '/services/configuration/v1/_confirm',
  '/services/configuration/v1/drift',
  '/services/configuration/v1/templates',
  '/services/configuration/v1/templates/:name',
  '/services/configuration/v1/snapshots',
  '/services/configuration/v1/:section',
  '/services/configuration/v1/:section/:pid',
  '/services/deploy/v2',
  '/services/deploy/v2/_bundles',
  '/services/deploy/v2/_status',
  '/services/deploy/v2/_status/:id',
  '/services/events/v1',
  '/services/status/v1',
  '/services/status/v1/certificates',
]);

/** Returns whether an endpoint only tells a status: who asks for it over the local socket is not recorded. */
export function isStatus({ method, path }: Pick<Endpoint, 'method' | 'path'>): boolean {
  return method === 'GET' && STATUS_PATHS.has(path);
}
