

class Torch(Framework):
    '''PyTorch: CUDA and ROCm builds (both through torch.cuda), Intel's XPU, Apple's MPS.'''
    name = module = 'torch'
    kind = 'cuda'

    def about(self, out):
        version = getattr(self.loaded, 'version', None)
        out.fields.update((name, getattr(version, name, None)) for name in ('cuda', 'hip', 'xpu'))

    def sees(self, out, allowed):
        '''Makes no context.'''
        torch = self.loaded
        out.fields['init_error'] = None
        out.read('built', lambda: hasattr(torch._C, '_cuda_getDeviceCount'))
        out.read('available', lambda: bool(torch.cuda.is_available()))
        out.read('device_count', lambda: int(torch.cuda.device_count()))
        out.read('xpu_available', lambda: bool(torch.xpu.is_available()) if hasattr(torch, 'xpu') else None)
        mps = getattr(getattr(torch, 'backends', None), 'mps', None)
        out.read('mps_available', lambda: bool(mps.is_available()) if mps else None)
        if out.fields['available'] is False and (out.fields['xpu_available'] or out.fields['mps_available']):
            self.kind = 'xpu' if out.fields['xpu_available'] else 'mps'
            count = out.read('device_count', lambda: int(torch.xpu.device_count()) if self.kind == 'xpu' else 1)
            out.fields['devices'] = [{'index': index} for index in range(min(count or 0, LIST_MAX))]
            return
        if not out.fields['available']:
            try:
                torch.cuda.init()
            except BaseException as error:
                out.fields['init_error'] = describe(error)
        out.read('arch_list', self.arch_list)
        if out.fields['built']:
            out.read('cudnn_version', torch.backends.cudnn.version)
        count = out.fields['device_count'] if out.fields['available'] else 0
        out.fields['devices'] = [self.device(index) for index in range(min(count or 0, LIST_MAX))]

    def arch_list(self):
        '''As compiled in. get_arch_list() of most releases is empty where no GPU is seen, so the flags come first.'''
        flags = getattr(self.loaded._C, '_cuda_getArchFlags', None)
        text = flags() if flags else None
        return text.split() if text else list(self.loaded.cuda.get_arch_list())

    def device(self, index):
        out = Readings(index=index)
        seen = out.read('properties', self.loaded.cuda.get_device_properties, index)
        del out.fields['properties']
        if seen is not None:
            # The uuid and the PCI address are known to newer releases only.
            address = tuple(getattr(seen, 'pci_%s_id' % part, None) for part in ('domain', 'bus', 'device'))
            out.read('name', lambda: seen.name)
            out.read('capability', lambda: [seen.major, seen.minor])
            out.read('memory_bytes', lambda: seen.total_memory)
            out.read('uuid', lambda: said(seen.uuid) if hasattr(seen, 'uuid') else None)
            out.read('pci', lambda: None if None in address else '%04x:%02x:%02x.0' % address)
            out.read('gcn_arch', lambda: getattr(seen, 'gcnArchName', None) if self.loaded.version.hip else None)
        return out.all()

    def device_name(self, index):
        return '%s:%d' % (self.kind, index)

    def wait(self, index):
        if self.kind == 'mps':
            self.loaded.mps.synchronize()
        else:
            getattr(self.loaded, self.kind).synchronize(index)

    def place(self, index, left, right):
        torch, device = self.loaded, self.device_name(index)
        self.a = torch.tensor(left, dtype=torch.float32).to(device)
        self.b = torch.tensor(right, dtype=torch.float32).to(device)
        self.wait(index)

    def operate(self, operation, index):
        return self.a * 2 + self.b if operation == 'elementwise' else self.loaded.matmul(self.a, self.b)

    def back(self, result):
        return result.cpu().tolist()


FRAMEWORK = Torch
