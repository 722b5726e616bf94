import { InvalidRequest } from '../base/errors.ts';
import { formatBundleId } from '../bundle/bundle.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleCallParams, WireCredentials } from '../bundle/messages.ts';
import type { Credentials } from '../identity/authentication-provider.ts';
import type { CustomAuthenticationProvider } from '../identity/custom-provider.ts';

const DEFAULT_DEADLINE_MS = 2000;
/** Requests that one provider is asked about at a time; the answer for more of them is "no". */
const MAXIMUM_INQUIRIES = 64;
// Whoever sees these can act in the name of somebody who is there.
const HIDDEN = new Set(['cookie', 'x-xsrf-token']);

/**
 * Makes an authentication provider that asks a bundle.
 *
 * The bundle is asked only about requests that have one of the header fields that it named, and sees no others.
 *
 * @throws {InvalidRequest} `HEADER_NOT_AVAILABLE` for a field that no bundle gets to see
 */
export function createBridgedProvider(
  session: BundleSession,
  { provider, priority, deadlineMs = DEFAULT_DEADLINE_MS, headers }: BundleCallParams<'provider.register'>,
): CustomAuthenticationProvider {
  const hidden = headers.find((name) => HIDDEN.has(name));
  if (hidden !== undefined) {
    const detail = `the header field ${hidden} is shown to no bundle`;
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

/** Takes the named header fields that a request has; undefined when it has none of them. */
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
