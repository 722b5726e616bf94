import { BoundedReads } from '../../../daemon/base/file/bounded-reads.ts';
import { createLogger } from '../../../daemon/base/logger.ts';
import { z } from '../../../daemon/base/schema.ts';
import { CredentialRevocations } from '../../../daemon/security/identity/credential-revocations.ts';
import {
  jwtSettingsShape,
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../../../daemon/settings/token-settings.ts';
import { KeyStore } from '../../../daemon/security/token/key-store.ts';
import { TokenAdministration } from '../../../daemon/security/token/token-administration.ts';
import { TokenRefused } from '../../../daemon/security/token/token-error.ts';
import { TokenIssuer } from '../../../daemon/security/token/token-issuer.ts';
import { TokenVerifier } from '../../../daemon/security/token/token-verifier.ts';
import { createIdentities } from '../../daemon/security/identity/identity-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** What issues and verifies tokens. */
export interface Signer {
  issue(): Promise<string>;
  /** @param isRevoking whether tokens of the keys before are void */
  rotate(isRevoking: boolean): Promise<void>;
  isValid(token: string): Promise<boolean>;
}

/** Opens the parts of the gateway that issue and verify tokens, with the settings of a new gateway. */
export function openSigner(dataDirectory: string): Signer {
  const clock = new ManualClock();
  const logger = createLogger({
    level: () => 'info',
    write: (line) => process.stderr.write(line),
    epochMs: () => clock.epochMs(),
    journalPriorities: false,
  });
  const current = {
    rest: z.strictObject(jwtSettingsShape).parse({ jwtAuthenticationEnabled: true }),
    tokenIssuingServices: tokenIssuingServicesSchema.parse(undefined),
    tokenVerificationServices: tokenVerificationServicesSchema.parse(undefined),
  };
  const settings = () => current;
  const reads = new BoundedReads(clock);
  const keys = new KeyStore({ dataDirectory, clock, logger, reads });
  const issuer = new TokenIssuer({ keys, settings, clock });
  const verifier = new TokenVerifier({ keys, settings, clock, logger, reads });
  const administration = new TokenAdministration({
    identities: createIdentities(clock),
    keys,
    settings,
    credentialRevocations: new CredentialRevocations(),
  });
  return {
    issue: async () => (await issuer.issue({ name: 'scada' })).accessToken,
    rotate: async (isRevoking) => void (await administration.rotateKey({ isRevoking })),
    async isValid(token) {
      try {
        await verifier.verify(token, 'access');
        return true;
      } catch (error) {
        if (error instanceof TokenRefused) return false;
        throw error;
      }
    },
  };
}
