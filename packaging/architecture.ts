/** One kind of machine that there is a package for. */
export interface Architecture {
  /** Name in Debian. */
  readonly debian: string;
  /** Name in Node.js and npm (`process.arch`). */
  readonly node: string;
  /** Takes out of a program for it what it does not need to run. */
  readonly stripCommand: string;
  /** Debian package that contains `stripCommand`. */
  readonly stripPackage: string;
}

/** By the name in Debian. No maintained runtime exists for 32-bit ARM. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  amd64: {
    debian: 'amd64',
    node: 'x64',
    stripCommand: 'x86_64-linux-gnu-strip',
    stripPackage: 'binutils-x86-64-linux-gnu',
  },
  arm64: {
    debian: 'arm64',
    node: 'arm64',
    stripCommand: 'aarch64-linux-gnu-strip',
    stripPackage: 'binutils-aarch64-linux-gnu',
  },
};
