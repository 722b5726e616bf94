/**
 * Returns whether a password is one of the most common ones, in any case: the 49,000 of zxcvbn-ts, from published
 * leaks. The list is loaded with the first password that is set.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { default: list } = await import('@zxcvbn-ts/language-common/src/passwords.json', {
    with: { type: 'json' },
  });
  return list.includes(password.toLowerCase());
}
