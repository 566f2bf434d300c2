

# ---- packages: what is installed, from names and small files, without importing anything

DISTRIBUTION = re.compile(
    r'^(?P<name>torch|torchvision|torchaudio|triton|triton[_-]windows|pytorch[_-]triton[\w-]*|numpy|pip'
    r'|(?:nvidia|cuda)[_-][\w.-]*?|(?:onnxruntime|jax|jaxlib|cupy|tensorflow|bitsandbytes|ctranslate2)(?:[_-][\w.-]*?)?)-(?P<version>\d[^-]*)(?:-py[\d.]+)?[\w.-]*?'
    r'\.(?P<form>dist-info|egg-info|egg)$', re.I)
CONDA = re.compile(
    r'^(?P<name>pytorch|pytorch-(?:gpu|cpu|cuda|mutex)|libtorch[\w-]*|torchvision|torchaudio|triton|numpy|pip'
    r'|cudatoolkit|cuda-version|cuda-cudart|cudnn|nccl)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json$')


def packages(modules):
    '''What is installed, and which of these modules an import would find.'''
    rows, leftovers, seen = [], [], set()
    for folder in sys.path:
        real = os.path.realpath(folder or '.')
        if real in seen:
            continue
        seen.add(real)
        for name in names_in(folder):
            match = DISTRIBUTION.match(name)
            if match:
                rows.append(distribution(folder, name, match))
            elif name.startswith('~'):  # what pip leaves when it is interrupted: '~orch'
                leftovers.append(os.path.join(folder, name))
    out = {'distributions': rows, 'leftovers': leftovers, 'conda': conda_packages()}
    out['present'] = [name for name in modules if importable(name)]
    out['torch'] = torch_on_disk()
    return out


def importable(name):
    import importlib.util
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return False
    # A folder without __init__.py is what an interrupted removal leaves.
    return spec is not None and spec.has_location


def distribution(folder, name, match):
    path = os.path.join(folder, name)
    normal = re.sub(r'[-_.]+', '-', match.group('name')).lower()
    row = {'name': normal, 'version': match.group('version'), 'location': folder, 'form': match.group('form')}
    if normal == 'torchvision':
        # Its own file knows the tag (+cpu) that the name of the metadata may lack.
        text = read_text(os.path.join(folder, normal, 'version.py')) or ''
        row['version'] = (re.findall(r'''(?m)^__version__ = ['"]([^'"]+)''', text) or [row['version']])[0]
    if normal.startswith('torch'):
        wheel = read_text(os.path.join(path, 'WHEEL')) or ''
        installer = read_text(os.path.join(path, 'INSTALLER'))
        row.update(
            installer=installer and installer.strip(),
            direct_url=os.path.exists(os.path.join(path, 'direct_url.json')),
            tags=re.findall(r'(?m)^Tag:\s*(\S+)', wheel),
            build=(re.findall(r'(?m)^Build:\s*(\S+)', wheel) or [None])[0],
        )
    return row


def conda_packages():
    folder = os.path.join(sys.prefix, 'conda-meta')
    out = []
    for name in names_in(folder):
        match = CONDA.match(name)
        if match:
            # That of pytorch lists ten thousand files; some writers put the channel before them, some after.
            text = read_text(os.path.join(folder, name), 1 << 24) or ''
            channel = re.search(r'"channel"\s*:\s*"([^"]*)"', text)
            out.append(dict(match.groupdict(), channel=channel and channel.group(1)))
    return out


def torch_on_disk():
    '''Which torch an import would take, and what its own version.py and lib folder say.'''
    import importlib.util
    out = Readings(preloaded='torch' in sys.modules, cwd_shadow=None)
    spec = out.read('spec', importlib.util.find_spec, 'torch')
    del out.fields['spec']
    out.fields['origin'] = spec and spec.origin
    # A folder without __init__.py, as an interrupted removal leaves it, imports as an empty package.
    folders = list(spec.submodule_search_locations or []) if spec else []
    out.fields['namespace'] = folders if spec and not spec.has_location else None
    out.read('cwd_shadow', cwd_shadow, spec and spec.origin)
    folder = folders[0] if folders else None
    out.fields['folder'] = folder
    if folder:
        out.fields['version_py'] = version_py(read_text(os.path.join(folder, 'version.py')))
        lib = os.path.join(folder, 'lib')
        out.fields['lib'] = lib if os.path.isdir(lib) else None
        out.fields['gpu_libraries'] = [name for name in names_in(lib) if re.match(
            r'(lib)?(torch|c10)_(cuda|hip|xpu)[\w]*\.(so|dll|dylib)$', name)]
    return out.all()


def cwd_shadow(origin):
    '''The file that a program started in the current directory would import instead.'''
    from importlib.machinery import PathFinder
    spec = PathFinder.find_spec('torch', [os.getcwd()])
    return spec.origin if spec and spec.has_location and spec.origin != origin else None


def version_py(text):
    '''The constants of torch/version.py; a key that the file does not have is absent, None is null.'''
    if text is None:
        return None
    rows = re.findall(r'''(?m)^(__version__|cuda|hip|rocm|xpu)\s*(?::[^=\n]+)?=\s*(None|(['"]).*?\3)''', text)
    return dict((key.strip('_'), None if value == 'None' else value[1:-1]) for key, value, _ in rows)
