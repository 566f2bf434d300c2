

class FlashAttention(Framework):
    '''flash-attn: its import loads its CUDA module, which was built for one torch and one CUDA.'''
    name, module = 'flash-attn', 'flash_attn'
    operations = ()

    def sees(self, out, allowed):
        '''It says nothing.'''


FRAMEWORK = FlashAttention
