// The interfaces `keystores/v1` and `keystores/v2` of Eclipse Kura, without changes: keys and certificates are files.
import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

const store = z
  .strictObject({
    keystoreServicePid: z.string(),
    type: z.enum(['pem']),
    size: z.int().describe('Entries'),
  })
  .meta({ id: 'KuraKeyStore' });
const common = {
  keystoreServicePid: z.string(),
  alias: z.string().describe('`server`, or `client-ca-1` and so on for the authorities of clients'),
  size: z.int().describe('Bits of the key'),
};
const key = z
  .strictObject({
    ...common,
    type: z.enum(['PRIVATE_KEY']),
    algorithm: z.string().describe('Kind of key, such as `EC`'),
    certificateChain: z
      .array(z.string())
      .optional()
      .describe('PEM, server certificate first; with a selection alone'),
  })
  .meta({ id: 'KuraKeyEntry' });
const trusted = z
  .strictObject({
    ...common,
    type: z.enum(['TRUSTED_CERTIFICATE']),
    algorithm: z.string().describe('Signature, such as `SHA256withECDSA`'),
    subjectDN: z.string(),
    issuer: z.string(),
    subjectAN: z
      .array(z.tuple([z.int(), z.string()]))
      .optional()
      .describe('Number of the GeneralName and its text'),
    startDate: z.int().describe('Milliseconds since the epoch'),
    expirationDate: z.int().describe('Milliseconds since the epoch'),
    certificate: z.string().optional().describe('PEM; with a selection alone'),
  })
  .meta({ id: 'KuraCertificateEntry' });
const entry = z.union([key, trusted]).meta({ id: 'KuraKeyStoreEntry' });
const filled = z.string().regex(/\S/, 'expected a text').max(1024);
const storeName = z.string().max(255).describe('Name of a key store; wins over `alias`');
const alias = z.string().max(255).describe('Alias of an entry');
const selection = z.object({ keystoreServicePid: storeName.optional(), alias: alias.optional() });
const address = z.object({
  keystoreServicePid: z.string().max(255).describe('Name of a key store'),
  alias,
});
const request = z
  .looseObject({
    keystoreServicePid: filled,
    alias: filled,
    signatureAlgorithm: filled.describe('Such as `SHA256withECDSA`'),
    attributes: filled.describe('Subject, such as `CN=gateway, O=Plant, C=DE`'),
  })
  .meta({ id: 'KuraSigningRequest' });
const signed = z.strictObject({ signingRequest: z.string() }).meta({ id: 'KuraSignedRequest' });

/** An entry as a client receives it. */
export type KuraKeyStoreEntry = Shape<typeof entry>;

/** Endpoints of the first version. */
export const KEYSTORES_V1 = declare('v1');
/** Endpoints of the second version, which are the same. */
export const KEYSTORES_V2 = declare('v2');

function declare<const Version extends 'v1' | 'v2'>(version: Version) {
  const root = `/services/keystores/${version}` as const;
  const shared = { access: 'rest.keystores', isOfSpecification: true } as const;
  const list = { ...shared, method: 'GET', isStatus: true, isCompressible: true } as const;
  return {
    listStores: endpoint({
      ...list,
      path: root,
      summary: 'Lists the key stores',
      response: { status: 200, schema: z.array(store) },
    }),
    listEntries: endpoint({
      ...list,
      path: `${root}/entries`,
      summary: 'Lists keys and certificates; with a store or an alias, those with their certificates',
      query: selection,
      response: { status: 200, schema: z.array(entry) },
    }),
    readEntry: endpoint({
      ...list,
      path: `${root}/entries/entry`,
      summary: 'Shows a key or certificate; never a private key',
      query: address,
      response: { status: 200, schema: entry },
    }),
    sign: endpoint({
      ...shared,
      method: 'POST',
      path: `${root}/entries/csr`,
      summary: 'Creates a certificate signing request with the server key and the names of its certificate',
      audit: 'CERTIFICATE_REQUESTED',
      request: jsonBody(request, MAXIMUM_BYTES),
      response: { status: 200, schema: signed },
    }),
  };
}
