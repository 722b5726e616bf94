import { InvalidRequest } from '../base/errors.ts';
import { formatBundleId } from '../bundle/bundle.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleCallParams, WireCredentials } from '../bundle/messages.ts';
import type { Credentials } from '../identity/authentication-provider.ts';
import type { CustomAuthenticationProvider } from '../identity/custom-provider.ts';

const DEFAULT_DEADLINE_MS = 2000;
/** Maximum number of concurrent calls to one provider; further requests count as not authenticated. */
const MAXIMUM_INQUIRIES = 64;
// These fields let their reader act with the session of another client.
const HIDDEN = new Set(['cookie', 'x-xsrf-token']);

/**
 * Creates an authentication provider that calls a bundle.
 *
 * The bundle is called only for requests with one of the header fields that it named, and receives no other fields.
 *
 * @throws {InvalidRequest} `HEADER_NOT_AVAILABLE` for a field that is withheld from bundles
 */
export function createBridgedProvider(
  session: BundleSession,
  { provider, priority, deadlineMs = DEFAULT_DEADLINE_MS, headers }: BundleCallParams<'provider.register'>,
): CustomAuthenticationProvider {
  const hidden = headers.find((name) => HIDDEN.has(name));
  if (hidden !== undefined) {
    const detail = `the header field ${hidden} is not available to bundles`;
    throw new InvalidRequest({ code: 'HEADER_NOT_AVAILABLE', detail });
  }
  let inquiries = 0;
  async function ask(request: WireCredentials): Promise<string | undefined> {
    inquiries += 1;
    try {
      const params = { provider, request };
      return (await session.call('provider.authenticate', params, { deadlineMs })) ?? undefined;
    } finally {
      inquiries -= 1;
    }
  }
  return {
    name: `bundle ${formatBundleId(session.id)}`,
    priority,
    deadlineMs,
    authenticate(request) {
      const shown = selectHeaders(request, headers);
      if (shown === undefined || inquiries >= MAXIMUM_INQUIRIES) return undefined;
      const { remoteAddress, certificateCommonNames } = request;
      return ask({ remoteAddress, certificateCommonNames, headers: shown });
    },
    onEnabled: () => session.note('provider.enabled', { provider }),
    onDisabled: () => session.note('provider.disabled', { provider }),
  };
}

/** Returns the named header fields that a request has; undefined when it has none of them. */
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
