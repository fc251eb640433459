// Texts and arrays in the memory of the module. Memory may grow at any call, so views are made when they are asked for.

export class Memory {
  constructor(module) {
    this.module = module;
  }

  /** Calls `use` with the addresses of texts, which are freed afterwards; null stands for NULL. Nothing is freed if the module
      has trapped: it may hold the lock of its memory, and would never return. */
  with(texts, use) {
    const { module } = this;
    const addresses = texts.map((text) => {
      if (text === null) return 0;
      const size = module.lengthBytesUTF8(text) + 1;
      const address = module._malloc(size);
      if (!address) throw new RangeError("there is not enough memory for a text");
      module.stringToUTF8(text, address, size);
      return address;
    });
    let trapped = false;
    try {
      return use(...addresses);
    } catch (error) {
      trapped = error instanceof WebAssembly.RuntimeError;
      throw error;
    } finally {
      for (const address of addresses) if (address && !trapped) module._free(address);
    }
  }

  text(address) {
    return address ? this.module.UTF8ToString(address) : "";
  }

  /** The memory as it is now. A thread may have grown it: then the call makes the module's views anew. */
  get buffer() {
    this.module.stringToUTF8("", 0, 0);
    return this.module.HEAPU8.buffer;
  }

  words(address, count) {
    return new Uint32Array(this.buffer, address, count);
  }

  floats(address, count) {
    return new Float32Array(this.buffer, address, count);
  }

  doubles(address, count) {
    return new Float64Array(this.buffer, address, count);
  }

  bytes(address, count) {
    return new Uint8Array(this.buffer, address, count);
  }
}

/** Removes a folder of the module's file system with all that is in it. */
export function removeFolder(FS, folder) {
  for (const name of FS.readdir(folder)) {
    if (name === "." || name === "..") continue;
    const path = `${folder}/${name}`;
    if (FS.isDir(FS.stat(path).mode)) removeFolder(FS, path);
    else FS.unlink(path);
  }
  FS.rmdir(folder);
}
