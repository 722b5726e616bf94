import type { RestSettings } from '../../../settings/rest-settings.ts';
import { PROVIDER_PRIORITY } from './authentication-provider.ts';
import type { ImmediateProvider } from './authentication-provider.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';

/**
 * Finds the identity of a client certificate.
 *
 * @param commonNames subject common names of the verified certificate; undefined: no certificate
 * @returns undefined unless there is exactly one common name and it equals the name of an identity
 */
export function identityOfCertificate(
  commonNames: readonly string[] | undefined,
  identities: Pick<IdentityStore, 'find'>,
): Identity | undefined {
  const [commonName, ...others] = commonNames ?? [];
  return commonName === undefined || others.length > 0 ? undefined : identities.find(commonName);
}

/** True if requests with a client certificate are accepted without a session. */
export function isStatelessCertificateEnabled(
  rest: Pick<RestSettings, 'certificateAuthenticationEnabled' | 'statelessCertificateAuthenticationEnabled'>,
): boolean {
  return rest.certificateAuthenticationEnabled && rest.statelessCertificateAuthenticationEnabled;
}

/** Creates the provider that accepts client certificates on any request while this is enabled. */
export function createCertificateProvider(options: {
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
}): ImmediateProvider {
  const { identities, rest } = options;
  return {
    name: 'certificate',
    priority: PROVIDER_PRIORITY.certificate,
    authenticate({ certificateCommonNames }) {
      if (!isStatelessCertificateEnabled(rest())) return undefined;
      const identity = identityOfCertificate(certificateCommonNames, identities);
      return identity === undefined ? undefined : { identity, method: 'certificate' };
    },
  };
}
