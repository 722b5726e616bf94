/** What becomes of packages that nobody trusted has signed: taken, taken with a warning, or refused. */
export const SIGNATURE_POLICIES = ['off', 'warn', 'require'] as const;
export type SignaturePolicy = (typeof SIGNATURE_POLICIES)[number];

/** What is known of the signature of a package; an invalid one has no verdict, the package is refused. */
export type SignatureVerdict =
  | { readonly state: 'UNSIGNED' }
  | { readonly state: 'UNTRUSTED'; readonly reason: string }
  | { readonly state: 'TRUSTED'; readonly signer: string };
