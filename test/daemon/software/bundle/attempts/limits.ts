import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** Using more than a bundle may: memory of every kind, descriptors, sizes of files. */
export const LIMITS: readonly Attempt[] = [
  {
    title: 'buffers',
    code: `{ for (let round = 0; round < 80; round += 1) keep(Buffer.alloc(4e6, 1)); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'array buffers that are resized',
    code: `{ const buffer = keep(new ArrayBuffer(1, { maxByteLength: 4e8 })); buffer.resize(4e8); new Uint8Array(buffer).fill(1); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'shared memory',
    code: `{ new Uint8Array(keep(new SharedArrayBuffer(3e8))).fill(1); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'memory of WebAssembly',
    code: `{ const memory = keep(new WebAssembly.Memory({ initial: 1, maximum: 8192 })); memory.grow(5000); new Uint8Array(memory.buffer).fill(1); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'strings outside of the heap',
    code: `{ for (let round = 0; round < 30; round += 1) keep(Buffer.alloc(1e7, 'x').toString('latin1')); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'contexts of zlib',
    code: `{ for (let round = 0; round < 1500; round += 1) keep(zlib.createDeflate({ memLevel: 9, windowBits: 15 })); for (const one of kept) one.write?.(Buffer.alloc(4096, 1)); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'contexts of brotli',
    code: `{ for (let round = 0; round < 60; round += 1) keep(zlib.createBrotliCompress()).write(Buffer.alloc(4e6, 1)); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'keys of crypto',
    code: `{ for (let round = 0; round < 60; round += 1) keep(crypto.createSecretKey(Buffer.alloc(5e6, 1))); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'blobs',
    code: `{ for (let round = 0; round < 60; round += 1) keep(new Blob([Buffer.alloc(5e6, 1)])); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'messages that nobody receives',
    code: `{ const { port1, port2 } = keep(new MessageChannel()); for (let round = 0; round < 60; round += 1) port1.postMessage(Buffer.alloc(5e6, 1)); await pause(700); return port2; }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'objects',
    code: `{ for (let round = 0; round < 4e6; round += 1) kept.push({ round, text: 'x' + round, list: [round] }); await pause(700); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'more descriptors than allowed, of files',
    code: `{ for (let round = 0; round < 400; round += 1) kept.push(fs.openSync(at.directory + '/main.mjs')); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'more descriptors than allowed, of directories',
    code: `{ for (let round = 0; round < 400; round += 1) keep(fs.opendirSync(at.directory)); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'more descriptors than allowed, of sockets',
    code: `{ for (let round = 0; round < 400; round += 1) { const socket = keep(dgram.createSocket('udp4')); socket.on('error', () => {}); socket.bind(0); } await pause(300); }`,
    isolation: 'ALWAYS',
  },
];
