import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isReadable } from './readable-path.ts';
import { createAccessError, refuse, replace, startsWith } from './replace.ts';

/** Undocumented but accessible parts of the CommonJS loader. */
interface LoaderParts {
  readonly _resolveFilename: (
    request: unknown,
    parent?: { readonly filename?: unknown },
    ...more: unknown[]
  ) => string;
  readonly _findPath: (...given: unknown[]) => string | false;
  readonly _stat: (file: string) => number;
  readonly _readPackage: (file: string) => unknown;
  readonly _extensions: Record<string, (made: unknown, file: string) => void>;
  readonly prototype: {
    readonly load: (this: unknown, file: string) => void;
    readonly _compile: (this: unknown, text: string, file: string, format?: string) => unknown;
  };
}

// Captured before code of the bundle runs, which may replace them.
const { isBuiltin } = module;
const dirname = path.dirname.bind(path);
const isAbsolute = path.isAbsolute.bind(path);
const resolve = path.resolve.bind(path);
const { apply, getOwnPropertyDescriptor } = Reflect;
const Url = URL;
const toPath = fileURLToPath;

// libuv's code for ENOENT.
const ENOENT = -2;

// Errors about the package.json of a package of the bundle; any other error of the loader may be about a path elsewhere.
const PASSTHROUGH_CODES: ReadonlySet<unknown> = new Set([
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
  'ERR_INVALID_MODULE_SPECIFIER',
  'ERR_INVALID_PACKAGE_CONFIG',
  'ERR_INVALID_PACKAGE_TARGET',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
]);
const isPassthrough = PASSTHROUGH_CODES.has.bind(PASSTHROUGH_CODES);

/**
 * Prevents the module loaders from revealing to a bundle which files and directories exist elsewhere. They search for files
 * without regard to the permission model, which only denies reading what they find. Paths outside of the bundle are therefore not
 * searched, or give the same result as missing paths.
 */
export function restrictLoader(): void {
  const parts = module as unknown as LoaderParts;
  restrictCommonLoader(parts);
  // Hooks of a bundle are called before this one, which is always called last.
  module.registerHooks({
    resolve(specifier, context, next) {
      // Hooks of a bundle can pass anything. Read once, so that the loader gets exactly the checked values.
      const { conditions, importAttributes, parentURL } = context;
      if (typeof specifier !== 'string' || (parentURL !== undefined && typeof parentURL !== 'string'))
        throw elsewhere('the specifier');
      const checked = { conditions, importAttributes, parentURL };
      if (startsWith(specifier, 'node:') || startsWith(specifier, 'data:') || isBuiltin(specifier))
        return next(specifier, checked);
      if (parentURL !== undefined && startsWith(parentURL, 'file:') && !isReadable(parentURL))
        throw elsewhere(parentURL);
      if (isOutside(specifier, parentURL)) throw elsewhere(specifier);
      const found = findOrUndefined(() => next(specifier, checked));
      if (found === undefined || (startsWith(found.url, 'file:') && !isReadable(found.url)))
        throw notFound(specifier, conditions[0] === 'require' ? 'MODULE_NOT_FOUND' : 'ERR_MODULE_NOT_FOUND');
      return found;
    },
    load(url, context, next) {
      if (startsWith(url, 'file:') && !isReadable(url)) throw elsewhere(url);
      return next(url, context);
    },
  });
}

function restrictCommonLoader(parts: LoaderParts): void {
  const { _resolveFilename, _findPath, _stat, _readPackage } = parts;
  replace(parts, '_resolveFilename', ((request, parent, ...more) => {
    if (typeof request === 'string' && isBuiltin(request)) return _resolveFilename(request, parent, ...more);
    const from = parent?.filename;
    if (typeof from === 'string' && isAbsolute(from) && !isReadable(from)) throw elsewhere(from);
    if (typeof request === 'string' && isAbsolute(request) && !isReadable(request)) throw elsewhere(request);
    const found = findOrUndefined(() => _resolveFilename(request, parent, ...more));
    if (found === undefined || !(isReadable(found) || isBuiltin(found)))
      throw notFound(request, 'MODULE_NOT_FOUND');
    return found;
  }) satisfies LoaderParts['_resolveFilename']);
  replace(parts, '_findPath', ((...given) => {
    const found = findOrUndefined(() => _findPath(...given));
    return typeof found === 'string' && isReadable(found) ? found : false;
  }) satisfies LoaderParts['_findPath']);
  replace(parts, '_stat', (file: string) => (isReadable(file) ? _stat(file) : ENOENT));
  replace(parts, '_readPackage', (file: string) => (isReadable(file) ? _readPackage(file) : undefined));
  for (const name of ['runMain', 'findPackageJSON', 'register', 'enableCompileCache']) {
    replace(module, name, refuse(`module.${name}`));
  }
  restrictLoading(parts);
}

// These functions search the nearest package.json of a given path.
function restrictLoading({ prototype, _extensions }: LoaderParts): void {
  const { load, _compile } = prototype;
  replace(prototype, 'load', function (this: unknown, file: string) {
    checkReadable(file);
    apply(load, this, [file]);
  });
  replace(prototype, '_compile', function (this: unknown, text: string, file: string, format?: string) {
    checkReadable(file);
    return apply<unknown, [string, string, string | undefined], unknown>(_compile, this, [
      text,
      file,
      format,
    ]);
  });
  for (const [extension, loadFile] of Object.entries(_extensions)) {
    replace(_extensions, extension, (made: unknown, file: string) => {
      checkReadable(file);
      loadFile(made, file);
    });
  }
}

function checkReadable(file: unknown): void {
  if (typeof file !== 'string' || !isReadable(file)) throw elsewhere(file);
}

/** True if a specifier, read as a path or as a URL, names a file elsewhere. */
function isOutside(specifier: string, parent: string | undefined): boolean {
  if (startsWith(specifier, 'file:') || isAbsolute(specifier)) return !isReadable(specifier);
  const isRelative =
    specifier === '.' || specifier === '..' || startsWith(specifier, './') || startsWith(specifier, '../');
  if (!isRelative) return false;
  if (parent === undefined || !startsWith(parent, 'file:')) return !isReadable(specifier);
  const asUrl = findPath(new Url(specifier, parent));
  return (
    !isReadable(resolve(dirname(toPath(parent)), specifier)) || (asUrl !== undefined && !isReadable(asUrl))
  );
}

// A URL that names no file cannot escape, and a file may have a name that is invalid in a URL.
function findPath(url: URL): string | undefined {
  try {
    return toPath(url);
  } catch {
    return undefined;
  }
}

// The code is an own property unless the bundle intercepts how it is set.
function findOrUndefined<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    const code: unknown = getOwnPropertyDescriptor(error as object, 'code')?.value;
    if (isPassthrough(code)) throw error;
    return undefined;
  }
}

function elsewhere(file: unknown): Error {
  return createAccessError(`${String(file)} is not a file of the bundle`);
}

function notFound(request: unknown, code: 'ERR_MODULE_NOT_FOUND' | 'MODULE_NOT_FOUND'): Error {
  return Object.assign(new Error(`Cannot find module '${String(request)}' in the bundle`), { code });
}
