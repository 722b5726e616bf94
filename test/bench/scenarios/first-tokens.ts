import { createPublicKey, verify } from 'node:crypto';

import { CompactSign, importPKCS8 } from 'jose';

import { makeTokenSigner } from '../../../daemon/security/certificate/certificate-issuer.ts';
import type { OpenedClients } from '../load.ts';
import { AUTHENTICATION } from '../measured.ts';
import { formatGet, httpsPort, OPERATOR, sequence, startPlant } from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { divideRounds, measureInTurn, median, subtractRounds } from '../statistics.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 12, atMost: 60 };
const ALGORITHM = 'ES256';
const PATH = '/services/session/v1/currentIdentity';
const LIFETIME_SECONDS = 3600;
// The tokens of one round end long before.
const AT_MOST_MS = 60_000;

/** Tokens that the gateway has not seen, beside one that it knows and the bare check of their signatures. */
export const firstTokens: Scenario = {
  name: 'first-tokens',
  measures: AUTHENTICATION,
  async run(bench) {
    const signer = await createSigner();
    const gateway = await startPlant(bench, {
      drivers: [],
      assets: [],
      rest: { jwtAuthenticationEnabled: true, tokenVerificationServiceTarget: 'plant' },
      more: {
        tokenVerificationServices: [{ pid: 'plant', trustedCertificates: [{ pem: signer.certificate }] }],
      },
    });
    const load = await bench.startLoad();
    const plain = { port: httpsPort(gateway), count: CONNECTIONS };
    const [known = ''] = await signer.sign(1);
    const clients = await load.open(bench, { ...plain, requests: [formatRequest(known)] });
    const count = bench.choose({ full: 400, quick: 100 });
    const costOf = async (opened: OpenedClients, durationMs: number): Promise<number> =>
      (await load.run(gateway.process, durationMs, opened)).cpuUsPerRequest;
    const runKnown = (): Promise<number> => costOf(clients, bench.choose({ full: 160, quick: 120 }));
    const runNew = async (): Promise<number> => {
      const requests = (await signer.sign(count)).map(formatRequest);
      return costOf(await load.open(bench, { ...plain, requests, areSentOnce: true }), AT_MOST_MS);
    };
    const measurements = { known: runKnown, fresh: runNew, bare: () => measureBare(signer, count) };
    // The runtime compiles what it has called 10,000 times (systemd/penstockd), and is busy with that for a while.
    await measureInTurn(bench.choose({ full: 40, quick: 10 }), measurements);
    return measureUntilDecided(bench, LIMITS, measurements, ({ known: ofKnown, fresh, bare }) => {
      const added = subtractRounds(fresh, ofKnown);
      return [
        {
          row: 12,
          name: 'first use of a token: CPU beyond that of a known one ÷ check of its signature',
          value: `${median(added).toFixed(0)} µs beyond ${median(ofKnown).toFixed(0)} µs`,
          floor: `${median(bare).toFixed(0)} µs`,
          rounds: divideRounds(added, bare),
          isProcessorTime: true,
          unit: '×',
          gate: { atMost: 2 },
          goal: { atMost: 1.4 },
        },
      ];
    });
  },
};

/** An issuer of tokens that the gateway trusts. */
interface Signer {
  /** PEM. */
  readonly certificate: string;
  readonly sign: (count: number) => Promise<readonly string[]>;
}

async function createSigner(): Promise<Signer> {
  const pair = await makeTokenSigner({ commonName: 'plant', keyType: 'P-256', nowMs: Date.now() });
  const key = await importPKCS8(pair.privateKey, ALGORITHM);
  const sign = (count: number): Promise<readonly string[]> => {
    // A token is not older than the identity.
    const issuedAt = Math.floor(Date.now() / 1000);
    return Promise.all(
      sequence(count).map(() => {
        const claims = {
          iss: 'plant',
          sub: OPERATOR.name,
          aud: '/token/jwt/v1/access',
          iat: issuedAt,
          nbf: issuedAt,
          exp: issuedAt + LIFETIME_SECONDS,
          jti: crypto.randomUUID(),
        };
        return new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
          .sign(key);
      }),
    );
  };
  return { certificate: pair.certificate, sign };
}

/** Returns the processor time of checking one signature, in microseconds. */
async function measureBare({ certificate, sign }: Signer, count: number): Promise<number> {
  const key = createPublicKey(certificate);
  const parts = (await sign(count)).map((token) => {
    const end = token.lastIndexOf('.');
    return {
      input: Buffer.from(token.slice(0, end)),
      signature: Buffer.from(token.slice(end + 1), 'base64url'),
    };
  });
  const before = process.cpuUsage();
  for (const { input, signature } of parts) {
    if (!verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature))
      throw new Error('a token that was signed here has a wrong signature');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function formatRequest(token: string): string {
  return formatGet(PATH, { Authorization: `Bearer ${token}` });
}
