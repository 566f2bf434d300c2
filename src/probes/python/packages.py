

# ---- packages: which of the frameworks an import would find, without importing anything

def packages(modules):
    '''The folder of each of these modules that an import would find.'''
    return {'present': dict((name, folder) for name, folder in ((name, found(name)) for name in modules) if folder)}


def found(name):
    import importlib.util
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    # A folder without __init__.py, as an interrupted removal leaves it, imports as an empty package.
    if spec is None or not spec.has_location:
        return None
    folders = list(spec.submodule_search_locations or [])
    return folders[0] if folders else os.path.dirname(spec.origin)
