import { BundleError } from '../bundle/bundle-error.ts';
import { formatBundleId } from '../bundle/bundle.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleCallParams, WireCredentials } from '../bundle/message/messages.ts';
import type { Credentials } from '../../security/identity/provider/authentication-provider.ts';
import { ProviderTimeout } from '../../security/identity/provider/authentication-provider.ts';
import type { CustomAuthenticationProvider } from '../../security/identity/provider/custom-provider.ts';
import type { Identity } from '../../security/identity/identity.ts';
import { isLimitedToAssets } from '../../security/identity/permission.ts';
import type { ProviderCircuitBreaker } from '../../security/identity/provider/provider-circuit-breaker.ts';
import { checkProviderPermissions } from './provider-permissions.ts';

/** Deadline of a provider that sets none. */
export const DEFAULT_DEADLINE_MS = 1000;
/** Maximum outstanding calls to one provider; further requests count as not authenticated. */
const MAXIMUM_PENDING_CALLS = 64;

interface ProviderReport {
  /** Called if the bundle names an identity that it may not name. */
  readonly onRefused: (refused: RefusedIdentity) => void;
  readonly circuitBreaker: ProviderCircuitBreaker;
}

/** Identity that a provider named without permission. */
export interface RefusedIdentity {
  /** Name of the provider. */
  readonly provider: string;
  readonly identity: Identity;
  readonly remoteAddress: string;
}

/**
 * Creates an authentication provider that calls a bundle.
 *
 * The bundle is called only for requests with one of the headers that it named, and receives no others. Each response is checked
 * against the current permissions of the identity that it names.
 *
 * @throws {NotPermitted} `BUNDLE_PERMISSION_MISSING`
 */
export function createBridgedProvider(
  session: BundleSession,
  { provider, priority, deadlineMs = DEFAULT_DEADLINE_MS, headers }: BundleCallParams<'provider.register'>,
  { onRefused, circuitBreaker }: ProviderReport,
): CustomAuthenticationProvider {
  const { permissions } = session;
  checkProviderPermissions(permissions, headers);
  const name = nameProvider(session);
  let pendingCalls = 0;
  async function requestIdentity(request: WireCredentials): Promise<string | undefined> {
    pendingCalls += 1;
    try {
      const params = { provider, request };
      return (await session.call('provider.authenticate', params, { deadlineMs })) ?? undefined;
    } catch (error) {
      throw error instanceof BundleError && error.code === 'BUNDLE_CALL_TIMEOUT'
        ? new ProviderTimeout(deadlineMs)
        : error;
    } finally {
      pendingCalls -= 1;
    }
  }
  return {
    name,
    priority,
    deadlineMs,
    circuitBreaker,
    authenticate(request) {
      const shown = selectHeaders(request, headers);
      if (shown === undefined || pendingCalls >= MAXIMUM_PENDING_CALLS) return undefined;
      const { remoteAddress, certificateCommonNames } = request;
      return requestIdentity({ remoteAddress, certificateCommonNames, headers: shown });
    },
    mayName(identity, { remoteAddress }) {
      if (permissions.anyIdentity || isLimitedToAssets(identity)) return true;
      onRefused({ provider: name, identity, remoteAddress });
      return false;
    },
    onEnabled: () => session.notify('provider.enabled', { provider }),
    onDisabled: () => session.notify('provider.disabled', { provider }),
  };
}

/** Returns the name of the providers of a bundle. */
export function nameProvider({ id }: Pick<BundleSession, 'id'>): string {
  return `bundle ${formatBundleId(id)}`;
}

/** Returns those of the named headers that a request has; undefined if it has none of them. */
function selectHeaders(
  request: Pick<Credentials, 'header'>,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const entries = names.flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
