

class LlamaCpp(Framework):
    '''llama-cpp-python: what its llama.cpp was compiled with.'''
    name, module = 'llama-cpp-python', 'llama_cpp'
    operations = ()

    def sees(self, out, allowed):
        library = self.loaded
        out.read('available', lambda: bool(library.llama_supports_gpu_offload()))
        # `CUDA : ARCHS = 500,610 | USE_GRAPHS = 1 | CPU : SSE3 = 1 | ...`: each back end before its colon
        text = out.read('system_info', lambda: library.llama_print_system_info().decode('utf-8', 'replace'))
        names = set(re.findall(r'(?:^|\|)\s*([A-Za-z]\w*)\s*:', text or ''))
        # Since 2024 each back end is a library of its own; not all of them are in the text.
        folder = os.path.join(os.path.dirname(getattr(library, '__file__', None) or ''), 'lib')
        files = [found.group(1) for found in (re.match(r'(?:lib)?ggml-(\w+)\.(?:so|dll|dylib)$', name)
                                              for name in names_in(folder)) if found]
        names.update(name for name in files if name != 'base')
        gpu = [name for name in names if name.lower() in ('cuda', 'rocm', 'hip', 'vulkan', 'sycl', 'metal', 'musa', 'cann')]
        out.fields.update(backends=sorted(names), arch_list=architectures(text or ''),
                          gpu_build=True if gpu or out.fields['available'] else (False if files else None))


def architectures(text):
    found = re.search(r'CUDA\s*:\s*ARCHS\s*=\s*([\d,a-z]+)', text)
    numbers = [number.rstrip('0') or number for number in found.group(1).split(',')] if found else []
    return ['sm_%s' % (number if len(number) > 1 else number + '0') for number in numbers]


FRAMEWORK = LlamaCpp
